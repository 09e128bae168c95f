#ifndef ACTIONS_H
#define ACTIONS_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <msi.h>
#include <msiquery.h>

/* Given by the build: WIDE_SERVICE_NAME (L"..."). The caller frees all texts that the functions below return. */

/* text.c */

/** Formatted text of any length; null if memory runs out. */
wchar_t *text_of(const wchar_t *format, ...);
char *to_utf8(const wchar_t *text);
wchar_t *from_utf8(const char *bytes, size_t length);
/** A folder's path without the separator at its end. */
wchar_t *without_separator(const wchar_t *folder);
/** Overwrites a text that held a secret, and frees it. */
void forget(wchar_t *text);

/* session.c: what an action reads from Windows Installer and reports to it. */

/** A line of the installation log. */
void log_line(MSIHANDLE session, const wchar_t *format, ...);
/** A line of the log that is also the error with which the installation ends. Returns ERROR_INSTALL_FAILURE. */
UINT fail(MSIHANDLE session, const wchar_t *format, ...);
/** Writes each line of a text to the log. */
void log_lines(MSIHANDLE session, const wchar_t *prefix, const wchar_t *text);
/** Value of a property, empty if it is not set; null if memory runs out. */
wchar_t *property_of(MSIHANDLE session, const wchar_t *name);
/** Value of `name=value` in the data lines of a deferred action; empty if it is absent. */
wchar_t *value_in(const wchar_t *data, const wchar_t *name);

/* child.c */

/**
 * Runs a program with text on its standard input, and waits for its end.
 * Returns 0 and its exit code with all it printed, or a Windows error code.
 */
DWORD run_child(const wchar_t *command, const char *input, DWORD *exit_code, wchar_t **output);

/* data_folder.c */

/**
 * Makes the folder (no separator at its end) so that only SYSTEM and Administrators can enter.
 * Returns a Windows error code: ERROR_INVALID_OWNER where somebody else has made it before.
 */
DWORD secure_folder(const wchar_t *folder);
/** Whether somebody other than SYSTEM or Administrators made a file or folder, so that it must not be trusted. */
BOOL is_foreign(const wchar_t *path);
/** Removes a folder with its content, and does not follow links. Returns a Windows error code. */
DWORD remove_folder(const wchar_t *folder);
BOOL exists(const wchar_t *path);

#endif
