/* Refuses an installation that cannot succeed, before anything is changed. */
#include <stdlib.h>
#include "actions.h"

static const wchar_t *const NEEDED[] = {L"APIURL", L"APIKEY", L"AUDITPATH", L"DBNAME"};
/** The token is exchanged for a key. */
static const wchar_t *const WITH_TOKEN[] = {L"APIURL", L"AUDITPATH", L"DBNAME"};
static const wchar_t *const ALL[] = {L"APIURL", L"APIKEY", L"ENROLLTOKEN", L"AUDITPATH", L"DBNAME", L"TENANTID"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef enum { MISSING, GIVEN, BROKEN } State;

/** Values become lines of text, so a line break within a value would begin another property. */
static State state_of(MSIHANDLE session, const wchar_t *name)
{
    wchar_t *value = property_of(session, name);
    State state = !value || !*value ? MISSING : GIVEN;
    for (const wchar_t *at = value; at && *at; at++) {
        if (*at < L' ') state = BROKEN;
    }
    forget(value);
    return state;
}

/** The names of the properties in a given state, separated by commas. */
static wchar_t *names_of(MSIHANDLE session, const wchar_t *const *names, size_t count, State state)
{
    wchar_t *list = calloc(1, sizeof(wchar_t));
    for (size_t i = 0; list && i < count; i++) {
        if (state_of(session, names[i]) != state) continue;
        wchar_t *longer = text_of(L"%ls%ls%ls", list, *list ? L", " : L"", names[i]);
        free(list);
        list = longer;
    }
    return list;
}

static BOOL has_config(MSIHANDLE session)
{
    wchar_t *parent = property_of(session, L"CommonAppDataFolder");
    wchar_t *name = property_of(session, L"ProductName");
    wchar_t *file = text_of(L"%ls%ls\\config.json", parent, name);
    BOOL is_there = file && exists(file);
    free(file);
    free(name);
    free(parent);
    return is_there;
}

static UINT check_configuration(MSIHANDLE session)
{
    UINT result = ERROR_SUCCESS;
    State config_file = state_of(session, L"CONFIGFILE");
    wchar_t *broken = names_of(session, ALL, COUNT(ALL), BROKEN);
    wchar_t *given = names_of(session, ALL, COUNT(ALL), GIVEN);
    BOOL has_token = state_of(session, L"ENROLLTOKEN") == GIVEN;
    const wchar_t *const *needed = has_token ? WITH_TOKEN : NEEDED;
    wchar_t *missing = names_of(session, needed, has_token ? COUNT(WITH_TOKEN) : COUNT(NEEDED), MISSING);
    if (!broken || !given || !missing) {
        result = ERROR_INSTALL_FAILURE;
    } else {
        if (*broken || config_file == BROKEN) {
            result = fail(session, L"Properties with line breaks or control characters: %ls%ls%ls.", broken,
                          *broken && config_file == BROKEN ? L", " : L"", config_file == BROKEN ? L"CONFIGFILE" : L"");
        }
        if (config_file == GIVEN && *given) {
            result = fail(session, L"CONFIGFILE is the whole configuration and cannot go together with %ls.", given);
        }
        if (config_file == MISSING && *missing && !has_config(session)) {
            result = fail(session, L"Missing properties: %ls. Give APIURL, APIKEY, AUDITPATH and DBNAME, or CONFIGFILE.",
                          missing);
        }
    }
    free(broken);
    free(given);
    free(missing);
    return result;
}

/** Refuses to replace a newer version. A launch condition would do so too, but not every log shows its text. */
UINT WINAPI CheckProperties(MSIHANDLE session)
{
    if (state_of(session, L"WIX_DOWNGRADE_DETECTED") == MISSING) return check_configuration(session);
    wchar_t *name = property_of(session, L"ProductName");
    UINT result = fail(session, L"A newer version of %ls is already installed.", name ? name : L"the agent");
    free(name);
    return result;
}
