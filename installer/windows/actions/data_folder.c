#include <aclapi.h>
#include <sddl.h>
#include <stdlib.h>
#include "actions.h"

/** Owned by Administrators, protected from inheriting; full access for SYSTEM and Administrators, here and below. */
#define ONLY_ADMINISTRATORS L"O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

BOOL exists(const wchar_t *path)
{
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static DWORD apply(const wchar_t *folder, PSECURITY_DESCRIPTOR descriptor)
{
    PSID owner;
    PACL list;
    BOOL is_present, is_default;
    GetSecurityDescriptorOwner(descriptor, &owner, &is_default);
    GetSecurityDescriptorDacl(descriptor, &is_present, &list, &is_default);
    SECURITY_INFORMATION what =
        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    return SetNamedSecurityInfoW((wchar_t *)folder, SE_FILE_OBJECT, what, owner, NULL, list, NULL);
}

DWORD secure_folder(const wchar_t *folder)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes};
    if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(ONLY_ADMINISTRATORS, SDDL_REVISION_1,
                                                              &attributes.lpSecurityDescriptor, NULL)) {
        return GetLastError();
    }
    DWORD error = CreateDirectoryW(folder, &attributes) ? 0 : GetLastError();
    if (error == ERROR_ALREADY_EXISTS) {
        /* Any user may create a folder in ProgramData, put links into it, or create a link in its place. */
        BOOL is_link = (GetFileAttributesW(folder) & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
        error = is_link || is_foreign(folder) ? ERROR_INVALID_OWNER : apply(folder, attributes.lpSecurityDescriptor);
    }
    LocalFree(attributes.lpSecurityDescriptor);
    return error;
}

static BOOL is_own_user(PSID owner)
{
    HANDLE token;
    DWORD length = 0;
    BOOL is_equal = FALSE;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return FALSE;
    GetTokenInformation(token, TokenUser, NULL, 0, &length);
    TOKEN_USER *user = malloc(length);
    if (user && GetTokenInformation(token, TokenUser, user, length, &length)) is_equal = EqualSid(owner, user->User.Sid);
    free(user);
    CloseHandle(token);
    return is_equal;
}

BOOL is_foreign(const wchar_t *path)
{
    PSID owner = NULL;
    PSECURITY_DESCRIPTOR descriptor = NULL;
    if (GetNamedSecurityInfoW(path, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, NULL, NULL, NULL, &descriptor)) {
        return TRUE;
    }
    BOOL is_trusted = owner && (IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
                                IsWellKnownSid(owner, WinLocalSystemSid) || is_own_user(owner));
    LocalFree(descriptor);
    return !is_trusted;
}

static DWORD remove_entry(const wchar_t *path, DWORD attributes)
{
    if (attributes & FILE_ATTRIBUTE_READONLY) SetFileAttributesW(path, attributes & ~FILE_ATTRIBUTE_READONLY);
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY)) return DeleteFileW(path) ? 0 : GetLastError();
    if (attributes & FILE_ATTRIBUTE_REPARSE_POINT) return RemoveDirectoryW(path) ? 0 : GetLastError();
    return remove_folder(path);
}

/** Removes everything that can be removed. Returns the first error. */
DWORD remove_folder(const wchar_t *folder)
{
    WIN32_FIND_DATAW entry;
    DWORD error = 0;
    wchar_t *pattern = text_of(L"%ls\\*", folder);
    HANDLE search = pattern ? FindFirstFileW(pattern, &entry) : INVALID_HANDLE_VALUE;
    free(pattern);
    if (search == INVALID_HANDLE_VALUE) return GetLastError();
    do {
        if (!wcscmp(entry.cFileName, L".") || !wcscmp(entry.cFileName, L"..")) continue;
        wchar_t *path = text_of(L"%ls\\%ls", folder, entry.cFileName);
        DWORD problem = path ? remove_entry(path, entry.dwFileAttributes) : ERROR_OUTOFMEMORY;
        if (!error) error = problem;
        free(path);
    } while (FindNextFileW(search, &entry));
    FindClose(search);
    if (!RemoveDirectoryW(folder) && !error) error = GetLastError();
    return error;
}
