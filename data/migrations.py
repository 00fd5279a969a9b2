"""The tables of study.db, as numbered steps; a step that has shipped is never edited."""

from sqlite_utils import Database, Migrations

migrations = Migrations("evidence-audit")


@migrations()
def m001_people_and_work(db: Database) -> None:
    """Everything that people do: drawn items with their texts, people, openings, answers, exposures."""
    for statement in _TABLES:
        db.execute(statement)


@migrations()
def m002_designs_and_deals(db: Database) -> None:
    """How a sample was designed and extended, and who is meant to do what."""
    for statement in _DESIGNS:
        db.execute(statement)


@migrations()
def m003_register(db: Database) -> None:
    """What was decided before results were seen; added to, never changed."""
    for statement in _REGISTRATIONS:
        db.execute(statement)


@migrations()
def m004_looking_back(db: Database) -> None:
    """When work was finished, and what people said of it afterwards: flags and slips, added to, never changed."""
    for statement in _FLAGS:
        db.execute(statement)


@migrations()
def m005_access(db: Database) -> None:
    """Who may sign in how, from where somebody is signed in, and who has seen results."""
    for statement in _ACCESS:
        db.execute(statement)


@migrations()
def m006_accounts(db: Database) -> None:
    """Whose account with the organisation's sign-in is whose."""
    for statement in _ACCOUNTS:
        db.execute(statement)


@migrations()
def m007_rounds(db: Database) -> None:
    """Every version of the rubric that work was done under, added to, never changed."""
    for statement in _ROUNDS:
        db.execute(statement)


_TABLES = (
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE text (kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT",
    """CREATE TABLE item (
        item_kind TEXT NOT NULL CHECK (item_kind IN ('response', 'context')),
        item_id TEXT NOT NULL,
        task_id TEXT NOT NULL,
        context_id TEXT,
        PRIMARY KEY (item_kind, item_id)
    ) STRICT""",
    """CREATE TABLE sample (
        sample_id TEXT PRIMARY KEY,
        seed INTEGER NOT NULL,
        strata TEXT NOT NULL,
        context_strata TEXT NOT NULL,
        unit TEXT NOT NULL,
        linked INTEGER NOT NULL,
        overlap REAL NOT NULL,
        diagnostics REAL NOT NULL,
        frame_hash TEXT NOT NULL,
        rubric_hash TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE draw (
        sample_id TEXT NOT NULL REFERENCES sample,
        item_id TEXT NOT NULL,
        item_kind TEXT NOT NULL,
        stratum TEXT NOT NULL,
        stratum_size INTEGER NOT NULL,
        sample_size INTEGER NOT NULL,
        inclusion_probability REAL NOT NULL CHECK (inclusion_probability > 0 AND inclusion_probability <= 1),
        permanent_number TEXT NOT NULL,
        unit TEXT NOT NULL,
        PRIMARY KEY (sample_id, item_kind, item_id),
        FOREIGN KEY (item_kind, item_id) REFERENCES item
    ) STRICT""",
    """CREATE TABLE subsample (
        sample_id TEXT NOT NULL REFERENCES sample,
        name TEXT NOT NULL,
        item_kind TEXT NOT NULL,
        item_id TEXT NOT NULL,
        PRIMARY KEY (sample_id, name, item_kind, item_id)
    ) STRICT""",
    """CREATE TABLE person (
        person_id TEXT PRIMARY KEY,
        display_name TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator', 'lead')),
        teams TEXT NOT NULL,
        status TEXT NOT NULL DEFAULT 'active',
        link_hash TEXT UNIQUE,
        created_at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE session (
        secret_hash TEXT PRIMARY KEY,
        person_id TEXT NOT NULL REFERENCES person,
        created_at TEXT NOT NULL,
        ended_at TEXT
    ) STRICT""",
    """CREATE TABLE assignment (
        assignment_id TEXT PRIMARY KEY,
        item_id TEXT NOT NULL,
        item_kind TEXT NOT NULL,
        task_id TEXT NOT NULL,
        context_id TEXT,
        person_id TEXT REFERENCES person,
        pass TEXT NOT NULL,
        purpose TEXT NOT NULL,
        occasion INTEGER NOT NULL,
        plan_order INTEGER NOT NULL,
        position INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'done', 'skipped')),
        reason TEXT,
        lease_until TEXT,
        UNIQUE (item_kind, item_id, pass, purpose, occasion, plan_order),
        UNIQUE (item_kind, item_id, pass, purpose, occasion, person_id),
        FOREIGN KEY (item_kind, item_id) REFERENCES item
    ) STRICT""",
    "CREATE INDEX assignment_free ON assignment (pass, state, position)",
    "CREATE INDEX assignment_person ON assignment (person_id, task_id)",
    "CREATE INDEX assignment_context ON assignment (context_id, pass, plan_order, person_id)",
    "CREATE INDEX assignment_task ON assignment (task_id, pass, state)",
    """CREATE TABLE label_event (
        event_id INTEGER PRIMARY KEY,
        assignment_id TEXT NOT NULL REFERENCES assignment,
        label TEXT NOT NULL,
        value TEXT NOT NULL,
        evidence TEXT NOT NULL,
        comment TEXT,
        seen_before TEXT NOT NULL,
        active_seconds REAL,
        rubric_hash TEXT NOT NULL,
        client_seq INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (assignment_id, client_seq)
    ) STRICT""",
    """CREATE TABLE exposure (
        assignment_id TEXT NOT NULL REFERENCES assignment,
        person_id TEXT NOT NULL REFERENCES person,
        view TEXT NOT NULL,
        fields TEXT NOT NULL,
        shown_at TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX exposure_assignment ON exposure (assignment_id)",
    "CREATE INDEX exposure_person ON exposure (person_id, assignment_id, fields)",
    """CREATE TABLE resolution (
        item_id TEXT NOT NULL,
        item_kind TEXT NOT NULL,
        label TEXT NOT NULL,
        value TEXT NOT NULL,
        person_id TEXT NOT NULL REFERENCES person,
        reason TEXT,
        cause TEXT,
        resolves TEXT NOT NULL,
        created_at TEXT NOT NULL
    ) STRICT""",
    *(
        f"""CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"""
        for table in ("label_event", "exposure", "resolution")
        for verb in ("UPDATE", "DELETE")
    ),
    """CREATE VIEW current_label AS
        SELECT * FROM label_event
        WHERE event_id IN (SELECT max(event_id) FROM label_event GROUP BY assignment_id, label)
    """,
)

_DESIGNS = (
    "ALTER TABLE sample ADD COLUMN people INTEGER NOT NULL DEFAULT 2",
    "ALTER TABLE sample ADD COLUMN core INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN repeats REAL NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN dev REAL NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN design TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE sample ADD COLUMN dealt TEXT",
    """CREATE TABLE top_up (
        sample_id TEXT NOT NULL REFERENCES sample,
        number INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        n_responses INTEGER NOT NULL,
        n_contexts INTEGER NOT NULL,
        n_done INTEGER NOT NULL,
        results_open INTEGER NOT NULL,
        frame_hash TEXT NOT NULL,
        replaced TEXT NOT NULL,
        PRIMARY KEY (sample_id, number)
    ) STRICT""",
    *(
        f"""CREATE TRIGGER top_up_{verb.lower()} BEFORE {verb} ON top_up
        BEGIN SELECT RAISE(ABORT, 'top_up is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
    "ALTER TABLE assignment ADD COLUMN reserved_for TEXT REFERENCES person",
    "ALTER TABLE assignment ADD COLUMN due INTEGER",
    """CREATE INDEX assignment_queue ON assignment (pass, reserved_for, position, plan_order)
        WHERE state IN ('open', 'claimed')""",
)

_REGISTRATIONS = (
    """CREATE TABLE registration (
        number INTEGER PRIMARY KEY,
        body TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE
    ) STRICT""",
    *(
        f"""CREATE TRIGGER registration_{verb.lower()} BEFORE {verb} ON registration
        BEGIN SELECT RAISE(ABORT, 'registration is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)

_FLAGS = (
    "ALTER TABLE assignment ADD COLUMN finished_at TEXT",
    """UPDATE assignment SET finished_at = (
        SELECT max(created_at) FROM label_event AS l WHERE l.assignment_id = assignment.assignment_id)
        WHERE state IN ('done', 'skipped')""",
    "CREATE INDEX assignment_finished ON assignment (person_id, finished_at)",
    """CREATE TABLE flag (
        flag_id INTEGER PRIMARY KEY,
        assignment_id TEXT NOT NULL REFERENCES assignment,
        person_id TEXT NOT NULL REFERENCES person,
        kind TEXT NOT NULL CHECK (kind IN ('flag', 'slip')),
        label TEXT NOT NULL,
        note TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (assignment_id, person_id, kind, label, note)
    ) STRICT""",
    *(
        f"""CREATE TRIGGER flag_{verb.lower()} BEFORE {verb} ON flag
        BEGIN SELECT RAISE(ABORT, 'flag is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)

_ACCESS = (
    "ALTER TABLE person ADD COLUMN password_hash TEXT",
    "ALTER TABLE person ADD COLUMN results_opened_at TEXT",
    "ALTER TABLE session ADD COLUMN seen_at TEXT",
    "ALTER TABLE session ADD COLUMN device TEXT",
    "CREATE INDEX session_person ON session (person_id)",
    """CREATE TABLE sign_in_attempt (
        key TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        last_at TEXT NOT NULL
    ) STRICT""",
)

_ACCOUNTS = (
    "ALTER TABLE person ADD COLUMN email TEXT",
    "ALTER TABLE person ADD COLUMN oidc_issuer TEXT",
    "ALTER TABLE person ADD COLUMN oidc_subject TEXT",
    "CREATE UNIQUE INDEX person_email ON person (email) WHERE email IS NOT NULL",
    "CREATE UNIQUE INDEX person_account ON person (oidc_issuer, oidc_subject) WHERE oidc_subject IS NOT NULL",
)

_ROUNDS = (
    """CREATE TABLE round (
        number INTEGER PRIMARY KEY,
        rubric_hash TEXT NOT NULL UNIQUE,
        version TEXT NOT NULL,
        body TEXT NOT NULL,
        started_at TEXT NOT NULL
    ) STRICT""",
    *(
        f"""CREATE TRIGGER round_{verb.lower()} BEFORE {verb} ON round
        BEGIN SELECT RAISE(ABORT, 'round is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)
