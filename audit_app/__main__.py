"""`python -m audit_app` is the command `evidence-audit`."""

from audit_app.cli import main

if __name__ == "__main__":
    main()
