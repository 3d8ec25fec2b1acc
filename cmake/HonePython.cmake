# The Python that has NumPy from the distribution: scripts and tests run in it, and the Python
# module is for it. Tests read its path from the environment.
find_program(HONE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HONE_PYTHON python3)
