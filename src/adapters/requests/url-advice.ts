import { clause } from '../../core/errors/rendered';
import type { Advice } from '../../core/adapter/base';
import { namesCredential } from '../../core/schema/static-headers';
import { show } from '../../core/value/show';
import { hasPlaceholders } from './placeholders';

/** Names of credentials in addresses, in addition to the general ones. */
const KEYS: ReadonlySet<string> = new Set(['key', 'sig', 'pwd', 'pass', 'apitoken', 'access_key_id']);

/**
 * Warns if the query of an address seems to contain a credential, unless it is a value of the record. Never includes
 * the value.
 */
export function adviseUrl(path: string, url: string): readonly Advice[] {
    const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
    const names = [...new URLSearchParams(query)]
        .filter(([, value]) => value !== '' && !hasPlaceholders(value))
        .map(([name]) => name);
    return [...new Set(names)]
        .filter(name => KEYS.has(name.toLowerCase()) || namesCredential(name.toLowerCase()))
        .map((name): Advice => ({
            code: 'LIKELY_MISTAKE',
            path,
            problem: clause`has ${show(name)} in its query, which looks like a credential: everyone who may read the pipeline can read it, and servers write addresses into their logs. If the API accepts it in a header, set it as a secret in the authentication of the step or its connection`,
        }));
}
