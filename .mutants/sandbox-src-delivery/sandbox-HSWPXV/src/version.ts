/** `meta.apiVersion` of every answer: the version of the public contract, not of this build. */
export const API_VERSION = '1.0';
export const API_BASE_PATH = '/api/v1/public';
