"""The tables of study.db, as numbered steps in one module each; a step that has shipped is never edited."""

from data.migrations import m001_people_and_work as m001_people_and_work
from data.migrations import m002_designs_and_deals as m002_designs_and_deals
from data.migrations import m003_register as m003_register
from data.migrations import m004_looking_back as m004_looking_back
from data.migrations import m005_access as m005_access
from data.migrations import m006_accounts as m006_accounts
from data.migrations import m007_rounds as m007_rounds
from data.migrations import m008_adjudication as m008_adjudication
from data.migrations import m009_current_label as m009_current_label
from data.migrations import m010_calibration as m010_calibration
from data.migrations import m011_language as m011_language
from data.migrations import m014_judgements as m014_judgements
from data.migrations import m015_asked_again as m015_asked_again
from data.migrations import m017_again as m017_again
from data.migrations import m018_judge_trials as m018_judge_trials
from data.migrations import m019_seen as m019_seen
from data.migrations.steps import migrations

__all__ = ["migrations"]
