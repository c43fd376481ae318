"""Between tensors and the values that covector's own functions take: levels, histories and tangents go along."""
