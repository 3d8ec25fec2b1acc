// LLVM asks libtinfo for the colours of the terminal, which nothing here uses, and whose archive is
// none for a shared library: there is no terminal.
struct term;

extern "C" {
int setupterm(const char*, int, int*) { return -1; }
int tigetnum(const char*) { return -1; }
term* set_curterm(term*) { return nullptr; }
int del_curterm(term*) { return 0; }
}
