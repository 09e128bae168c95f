const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

/** The nonce that lets a style tag made by script pass the page's Content-Security-Policy. */
export const getStyleNonce = (): string => nonce;

// The scroll lock of drawers and dialogs reads the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: nonce });
