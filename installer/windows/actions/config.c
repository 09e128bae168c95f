/* The agent's configuration. The agent itself checks and writes it; a failed installation restores the old one. */
#include <stdlib.h>
#include <string.h>
#include "actions.h"

static const wchar_t *const PROPERTIES[] = {L"APIURL", L"APIKEY",   L"ENROLLTOKEN", L"AUDITPATH",
                                            L"DBNAME", L"TENANTID", L"CONFIGFILE"};
#define PROPERTY_COUNT (sizeof PROPERTIES / sizeof *PROPERTIES)

/** The given properties as lines `NAME=value` for the agent. */
static wchar_t *given_lines(const wchar_t *data)
{
    wchar_t *lines = calloc(1, sizeof(wchar_t));
    for (size_t i = 0; lines && i < PROPERTY_COUNT; i++) {
        wchar_t *value = value_in(data, PROPERTIES[i]);
        if (value && *value) {
            wchar_t *longer = text_of(L"%ls%ls=%ls\n", lines, PROPERTIES[i], value);
            forget(lines);
            lines = longer;
        }
        forget(value);
    }
    return lines;
}

static UINT configure(MSIHANDLE session, const wchar_t *folder, const wchar_t *programs, const wchar_t *lines)
{
    DWORD code = 0;
    wchar_t *output = NULL;
    wchar_t *command = text_of(L"\"%lsnode.exe\" \"%lsagent.js\" configure --stdin --keep-previous --config"
                               L" \"%lsconfig.json\"", programs, programs, folder);
    char *input = to_utf8(lines);
    DWORD error = command && input ? run_child(command, input, &code, &output) : ERROR_OUTOFMEMORY;
    if (input) SecureZeroMemory(input, strlen(input));
    if (output) log_lines(session, L"", output);
    free(input);
    free(command);
    UINT result = ERROR_SUCCESS;
    if (error) result = fail(session, L"%lsnode.exe could not check the configuration: Windows error %lu.", programs, error);
    else if (code) result = fail(session, L"The configuration was refused: %ls", output);
    free(output);
    return result;
}

static UINT write_config(MSIHANDLE session, const wchar_t *folder, const wchar_t *programs, const wchar_t *lines)
{
    wchar_t *path = without_separator(folder), *file = text_of(L"%lsconfig.json", folder);
    DWORD error = path && file ? secure_folder(path) : ERROR_OUTOFMEMORY;
    if (!error && exists(file) && is_foreign(file)) error = ERROR_INVALID_OWNER;
    UINT result;
    if (!error) {
        result = configure(session, folder, programs, lines);
    } else if (error == ERROR_INVALID_OWNER) {
        result = fail(session, L"%ls or its config.json was not made by an administrator: see what it is, and remove it.",
                      path);
    } else {
        result = fail(session, L"%ls could not be made safe: Windows error %lu.", folder, error);
    }
    free(path);
    free(file);
    return result;
}

UINT WINAPI WriteConfig(MSIHANDLE session)
{
    wchar_t *data = property_of(session, L"CustomActionData");
    wchar_t *folder = value_in(data, L"DATADIR"), *programs = value_in(data, L"INSTALLDIR");
    wchar_t *lines = given_lines(data);
    UINT result = folder && programs && lines ? write_config(session, folder, programs, lines) : ERROR_INSTALL_FAILURE;
    forget(lines);
    forget(data);
    free(folder);
    free(programs);
    return result;
}

/** The place where WriteConfig left the replaced configuration, or a mark that there was none. */
typedef struct {
    wchar_t *file, *previous, *fresh;
} Undo;

static Undo undo_of(MSIHANDLE session)
{
    wchar_t *folder = property_of(session, L"CustomActionData");
    Undo undo = {text_of(L"%lsconfig.json", folder), text_of(L"%lsconfig.json.prev", folder),
                 text_of(L"%lsconfig.json.fresh", folder)};
    free(folder);
    return undo;
}

static void free_undo(Undo undo)
{
    free(undo.file);
    free(undo.previous);
    free(undo.fresh);
}

/** Needs none of the installed files, since a rollback may already have removed them. */
UINT WINAPI RollbackConfig(MSIHANDLE session)
{
    Undo undo = undo_of(session);
    if (exists(undo.previous)) {
        if (MoveFileExW(undo.previous, undo.file, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
            log_line(session, L"%ls is as it was before.", undo.file);
        } else {
            log_line(session, L"%ls could not be put back: Windows error %lu. It is in %ls.", undo.file, GetLastError(),
                     undo.previous);
        }
    } else if (exists(undo.fresh)) {
        DeleteFileW(undo.file);
        DeleteFileW(undo.fresh);
    }
    free_undo(undo);
    return ERROR_SUCCESS;
}

UINT WINAPI CommitConfig(MSIHANDLE session)
{
    Undo undo = undo_of(session);
    DeleteFileW(undo.previous);
    DeleteFileW(undo.fresh);
    free_undo(undo);
    return ERROR_SUCCESS;
}

UINT WINAPI PurgeState(MSIHANDLE session)
{
    wchar_t *data = property_of(session, L"CustomActionData");
    wchar_t *folder = data ? without_separator(data) : NULL;
    /* A path such as "C:" is not a folder of the agent. */
    if (folder && wcslen(folder) > 3 && exists(folder)) {
        DWORD error = remove_folder(folder);
        if (error) log_line(session, L"%ls could not be removed completely: Windows error %lu.", folder, error);
        else log_line(session, L"%ls was removed.", folder);
    }
    free(folder);
    free(data);
    return ERROR_SUCCESS;
}
