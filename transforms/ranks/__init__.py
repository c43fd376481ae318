"""Operations over ranks: processes that hold parts of the same arrays and exchange them by messages."""
