#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "actions.h"

wchar_t *text_of(const wchar_t *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = _vscwprintf(format, values);
    wchar_t *text = length < 0 ? NULL : malloc(((size_t)length + 1) * sizeof(wchar_t));
    if (text) _vsnwprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    return text;
}

char *to_utf8(const wchar_t *text)
{
    int length = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *bytes = malloc(length > 0 ? length : 1);
    if (bytes) bytes[0] = 0;
    if (bytes && length > 0) WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, length, NULL, NULL);
    return bytes;
}

wchar_t *from_utf8(const char *bytes, size_t length)
{
    int count = length ? MultiByteToWideChar(CP_UTF8, 0, bytes, (int)length, NULL, 0) : 0;
    wchar_t *text = calloc((size_t)count + 1, sizeof(wchar_t));
    if (text && count) MultiByteToWideChar(CP_UTF8, 0, bytes, (int)length, text, count);
    return text;
}

wchar_t *without_separator(const wchar_t *folder)
{
    size_t length = wcslen(folder);
    while (length && folder[length - 1] == L'\\') length--;
    return text_of(L"%.*ls", (int)length, folder);
}

void forget(wchar_t *text)
{
    if (!text) return;
    SecureZeroMemory(text, wcslen(text) * sizeof(wchar_t));
    free(text);
}
