"""Single words that are keys in files, JSON and the command line's tables, and are read on screens as well.

Where they are made they are in English; screens give them through `_`.
"""

from audit_app.language import mark

COLUMNS = (
    mark("model"), mark("prompt"), mark("condition"), mark("regime"), mark("run"), mark("judge"), mark("task"),
    mark("runs"), mark("regimes"),
)  # fmt: skip
"""Slice columns, and what a mean is over."""

PEOPLE = (
    mark("annotator"), mark("adjudicator"), mark("lead"),
    mark("active"), mark("paused"), mark("revoked"),
    mark("link"), mark("password"), mark("account"),
    mark("evidence"), mark("correctness"), mark("context"),
    mark("plan"), mark("calibration"), mark("canary"), mark("repeat"), mark("adjudication"),
    mark("these annotators"), mark("annotators like these"),
)  # fmt: skip
"""Roles, what somebody is, what lets them in, passes, purposes of an assignment, and whom an interval speaks of."""

KINDS = (
    mark("naive"), mark("human-only"), mark("corrected"), mark("logit-t"), mark("Dirichlet-multinomial"),
    mark("exact"), mark("census"), mark("direct"), mark("borrowed"), mark("refused"),
    mark("labels"), mark("tasks"), mark("runs"), mark("annotators"), mark("linear"), mark("quadratic"),
    mark("ordinal"), mark("yes"), mark("no"), mark("slip"), mark("flag"), mark("tie"), mark("disagreement"),
    mark("rubric unclear"), mark("genuinely ambiguous"), mark("context broken"),
    mark("trusted"), mark("not trusted"), mark("cannot be told"), mark("no leak"), mark("leak"),
)  # fmt: skip
"""Kinds of numbers and intervals, sources of width, and why a label is disputed."""

HEADS = (
    mark("label"), mark("slice"), mark("n"), mark("dropped"), mark("note"), mark("items"), mark("item"),
    mark("metric"), mark("in denominator"), mark("tier"), mark("SE"), mark("effective"), mark("interval"),
    mark("before adjudication"), mark("now"), mark("value"), mark("figure"), mark("person"), mark("share"),
    mark("percent"), mark("alpha"), mark("AC1"), mark("AC2"), mark("cannot judge"), mark("values given"),
    mark("coefficient"), mark("annotator"), mark("skipped"), mark("bias (points)"), mark("with the others"),
    mark("agreement, a day"), mark("agreement, an hour at work"), mark("bias, a day"), mark("bias, an hour at work"),
    mark("labels each"), mark("rho_int"), mark("design effect"), mark("shares"), mark("iterations"),
    mark("log-likelihood"), mark("where it is"), mark("answers"), mark("people"), mark("shared"), mark("given"),
    mark("Cohen's kappa"), mark("weighted (quadratic)"), mark("decided"), mark("waiting"), mark("causes"),
    mark("first answer changed"), mark("answers that are the final value"), mark("own blind vote kept"),
    mark("sensitivity"), mark("specificity"), mark("accuracy"), mark("always yes"), mark("always no"), mark("kappa"),
    mark("two people's kappa"), mark("judge and a person"), mark("two people"), mark("judge's kappa"),
    mark("kappa less theirs"), mark("diagnostic"), mark("kappa (quadratic)"), mark("may stand in"),
    mark("winning rate"), mark("average advantage"), mark("epsilon"), mark("judge at least as good"),
    mark("annotator at least as good"), mark("p"), mark("p adjusted"), mark("judge wins"),
    mark("Differences"), mark("The same naive differences by other means"), mark("Under each judge"),
    mark("first − second"), mark("naive, points"), mark("corrected, points"), mark("p (naive)"),
    mark("p (corrected)"), mark("p, adjusted (naive)"), mark("p, adjusted (corrected)"), mark("pairs"),
    mark("left out"), mark("bootstrap over tasks"), mark("permutations"), mark("only first"), mark("only second"),
    mark("of pairs"), mark("McNemar exact p"), mark("mid-p"), mark("Tango interval"), mark("judged"), mark("judges"),
    mark("Kendall's tau"), mark("Spearman"), mark("same order"), mark("by the first"), mark("by the second"),
    mark("broken"), mark("estimated share"), mark("read blind"), mark("construction errors"),
    mark("the blind reader's words"), mark("quotes"), mark("score"), mark("chance of a leak"), mark("people"),
    mark("name"), mark("role"), mark("teams"), mark("state"), mark("signs in with"), mark("done"), mark("in hand"),
    mark("dealt, not begun"), mark("median time"), mark("last seen"), mark("pass"), mark("last shown"),
    mark("why"), mark("round"), mark("rubric"), mark("version"), mark("since"), mark("F1"), mark("MCC"),
    mark("attention checks"), mark("purpose"), mark("right when they flag"), mark("contexts"), mark("trust"),
    mark("more labels"), mark("points"), mark("adjusted p"), mark("intervals"), mark("AC2, linear, quadratic"),
    mark("Fleiss, Conger, Brennan–Prediger"), mark("kappa (quadratic), alpha (ordinal)"),
    mark("first"), mark("second"), mark("same label"), mark("test"), mark("when"), mark("outcome"),
    mark("what was found"), mark("labels judged"), mark("unscored"), mark("why unscored"),
    mark("quotes not in context"), mark("calls"), mark("tokens"), mark("cost"), mark("last run"),
)  # fmt: skip
"""Heads of tables, and the words that are explained below them."""
