import type { I18nService, RequestContext } from '@vendure/core';

/** A message of Vendure's, by its key. */
export type ShopTranslations = (key: string, variables?: object) => string;

interface Spoken {
    readonly lng: string;
    readonly headers: object;
    readonly query: object;
    t?(key: string, variables: object): string;
}

const known = new WeakMap<I18nService, ShopTranslations>();

/**
 * The messages of Vendure's services, in English. They are keys that the API translates for each request; a run has no request, so this uses a
 * minimal one.
 */
export function readShopTranslations(service: I18nService): ShopTranslations {
    const found = known.get(service);
    if (found) return found;
    const request: Spoken = { lng: 'en', headers: {}, query: {} };
    const response = { headersSent: true, getHeader: () => undefined, setHeader: () => undefined };
    const handle = service.handle() as unknown as (...of: readonly unknown[]) => void;
    handle(request, response, () => undefined);
    const translations: ShopTranslations = (key, variables = {}) => request.t?.(key, variables) ?? key;
    known.set(service, translations);
    return translations;
}

/**
 * Makes services report their errors to a context in these words, rather than as keys. Otherwise, a context has a translation function only if it
 * belongs to a request.
 */
export function withShopTranslations(ctx: RequestContext, service: I18nService): RequestContext {
    return Object.assign(ctx, { _translationFn: readShopTranslations(service) });
}
