# A unit that fails in the system's manager, before and while the agent listens.
systemd-run --quiet --unit=system-down false || :
systemd-run --quiet --on-active=5 --timer-property=AccuracySec=100ms --unit=system-later false
