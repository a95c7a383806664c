-- luajit THIS
-- Expected -inf twice, since ceil gives -0; LuaJIT 2.1.0-beta3 prints inf, then -inf.
print(1 / math.ceil(-0.9995), 1 / math.ceil(-0.3))
