// Joins the rooms: the only file that knows backends and console at once.
int main() { return 0; }
