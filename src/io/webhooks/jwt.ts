import { jwtVerify } from 'jose';

/** The required claims of a token. */
interface TokenRules {
    readonly issuer: string | undefined;
    readonly audience: string | undefined;
    readonly nowMs: number;
}

/** Either side's clock may be wrong by so much. */
const LEEWAY_SEC = 60;
/** No token of a sender is longer; a longer one is not looked at. */
const MAX_TOKEN = 8_192;

/**
 * Whether a token was signed with any of the keys, is valid now and has the required claims. Only HS256 is accepted: the token's algorithm and key
 * id have no influence.
 */
export async function isValidToken(token: string, keys: readonly Uint8Array[], rules: TokenRules): Promise<boolean> {
    if (token.length > MAX_TOKEN) return false;
    let isValid = false;
    for (const key of keys) isValid = (await isSignedWith(token, key, rules)) || isValid;
    return isValid;
}

async function isSignedWith(token: string, key: Uint8Array, rules: TokenRules): Promise<boolean> {
    const { issuer, audience, nowMs } = rules;
    try {
        const { payload } = await jwtVerify(token, key, {
            algorithms: ['HS256'],
            requiredClaims: ['exp'],
            clockTolerance: LEEWAY_SEC,
            currentDate: new Date(nowMs),
            ...(issuer !== undefined && { issuer }),
            ...(audience !== undefined && { audience }),
        });
        // JSON reads 1e999 as Infinity, a token that never expires.
        if (!Number.isFinite(payload.exp)) return false;
        // The library looks at it only where a token has a greatest age.
        return payload.iat === undefined || payload.iat <= nowMs / 1000 + LEEWAY_SEC;
    } catch {
        // After any error of the library, the token is invalid; the sender does not learn why.
        return false;
    }
}
