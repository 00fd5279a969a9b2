"""Everything that people do: drawn items with their texts, people, openings, answers, exposures."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
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


@migrations()
def m001_people_and_work(db: Database) -> None:
    """Everything that people do: drawn items with their texts, people, openings, answers, exposures."""
    for statement in _STATEMENTS:
        db.execute(statement)
