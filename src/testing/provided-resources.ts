import type { Resources } from '../core/adapter/context';
import { noResources } from '../core/adapter/no-resources';
import type { Registry } from '../core/adapter/registry';
import { Secret } from '../core/adapter/secret';
import { EVERY_HOST } from '../core/adapter/secret-hosts';
import { own } from '../core/data/own-properties';
import { flowError } from '../core/errors/flow-error';
import { parseWith } from '../core/schema/issues';
import type { JsonObject } from '../core/value/json';

/** A secret of a test: its value, which may be sent everywhere, or the value and the hosts that it may be sent to. */
export type ProvidedSecret = string | { readonly value: string; readonly allowedHosts: readonly string[] };

/** What a test gives of secrets and connections. */
interface ProvidedResources {
    readonly registry: Registry;
    readonly secrets?: Readonly<Record<string, ProvidedSecret>>;
    readonly connections?: Readonly<Record<string, { readonly type: string; readonly settings: JsonObject }>>;
}

/** Secrets and connections as a run gets them. What was not given is not found. */
export function providedResources(given: ProvidedResources): Resources {
    return {
        ...noResources,
        secrets: { get: code => secretOf(code, given.secrets ?? {}) },
        connections: { get: code => connectionOf(code, given) },
    };
}

function secretOf(code: string, secrets: Readonly<Record<string, ProvidedSecret>>): Secret {
    const given = own(secrets, code);
    if (given === undefined) return noResources.secrets.get(code);
    const { value, allowedHosts } = typeof given === 'string' ? { value: given, allowedHosts: EVERY_HOST } : given;
    return new Secret(code, value, allowedHosts);
}

/** With the defaults of its type, as a saved one has them. */
function connectionOf(code: string, { registry, connections = {} }: ProvidedResources) {
    const given = own(connections, code);
    if (!given) return noResources.connections.get(code);
    const type = registry.get('connection', given.type);
    const settings = parseWith(type.config, given.settings);
    if (settings.ok) return { code, type: type.code, settings: settings.value as JsonObject };
    throw flowError('CONNECTION_INVALID', { code, problem: settings.issues.map(({ message }) => message).join('; ') });
}
