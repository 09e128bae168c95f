#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "actions.h"

static void say(MSIHANDLE session, INSTALLMESSAGE kind, const wchar_t *text)
{
    MSIHANDLE record = MsiCreateRecord(1);
    /* The text is a field and not the format, so that its brackets have no effect. */
    MsiRecordSetStringW(record, 0, L"[1]");
    MsiRecordSetStringW(record, 1, text);
    MsiProcessMessage(session, kind, record);
    MsiCloseHandle(record);
}

static void say_formatted(MSIHANDLE session, INSTALLMESSAGE kind, const wchar_t *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    int length = _vscwprintf(format, values);
    wchar_t *text = length < 0 ? NULL : malloc(((size_t)length + 1) * sizeof(wchar_t));
    if (text) {
        _vsnwprintf(text, (size_t)length + 1, format, again);
        say(session, kind, text);
    }
    free(text);
    va_end(again);
}

void log_line(MSIHANDLE session, const wchar_t *format, ...)
{
    va_list values;
    va_start(values, format);
    say_formatted(session, INSTALLMESSAGE_INFO, format, values);
    va_end(values);
}

UINT fail(MSIHANDLE session, const wchar_t *format, ...)
{
    va_list values;
    va_start(values, format);
    say_formatted(session, INSTALLMESSAGE_ERROR, format, values);
    va_end(values);
    return ERROR_INSTALL_FAILURE;
}

void log_lines(MSIHANDLE session, const wchar_t *prefix, const wchar_t *text)
{
    while (*text) {
        size_t length = wcscspn(text, L"\r\n");
        if (length) log_line(session, L"%ls%.*ls", prefix, (int)length, text);
        text += length;
        text += wcsspn(text, L"\r\n");
    }
}

wchar_t *property_of(MSIHANDLE session, const wchar_t *name)
{
    DWORD length = 0;
    wchar_t nothing[1];
    if (MsiGetPropertyW(session, name, nothing, &length) != ERROR_MORE_DATA) return calloc(1, sizeof(wchar_t));
    length++;
    wchar_t *value = calloc(length, sizeof(wchar_t));
    if (value) MsiGetPropertyW(session, name, value, &length);
    return value;
}

wchar_t *value_in(const wchar_t *data, const wchar_t *name)
{
    size_t name_length = wcslen(name);
    for (const wchar_t *line = data; line; line = wcschr(line, L'\n')) {
        if (*line == L'\n') line++;
        if (wcsncmp(line, name, name_length) || line[name_length] != L'=') continue;
        const wchar_t *value = line + name_length + 1;
        return text_of(L"%.*ls", (int)wcscspn(value, L"\r\n"), value);
    }
    return calloc(1, sizeof(wchar_t));
}
