import type { Connection, ConnectionType } from '../../core/adapter/connection';
import type { Resources } from '../../core/adapter/context';
import type { Registry } from '../../core/adapter/registry';
import type { SecretUse } from '../../core/adapter/secret-hosts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { withRealEnumValues } from '../../core/pipeline/enum-aliases';
import { addressesOf, blockedAddresses, type HostProblem } from '../../core/schema/address-fields';
import { clause, factText, type Problem } from '../../core/errors/rendered';
import { ISSUE_TEXTS } from '../../core/schema/issue-texts';
import { issueAt, issueBecause, type SchemaIssue, parseWith, issueFacts } from '../../core/schema/issues';
import { type Reference, referencesOf } from '../../core/schema/references';
import type { FlowConnection } from '../entities/connection';

/** A connection as its row contains it. */
export type StoredConnection = Pick<FlowConnection, 'code' | 'type' | 'settings' | 'enabled'>;

/** More than any system needs. Every list reads settings as a whole. */
const MAX_BYTES = 65_536;
/** Keys that reach an object's prototype. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The type with this code or alias, in upper or lower case. */
export function connectionType(registry: Registry, code: string): ConnectionType | undefined {
    return registry.find('connection', code) ?? registry.find('connection', code.toUpperCase());
}

/** Settings as they are stored: aliases of enum values are replaced, and defaults of the schema are not added. Returns them with all issues. */
export function checkedSettings(
    type: ConnectionType,
    given: unknown,
): { readonly stored: JsonObject; readonly issues: readonly SchemaIssue[] } {
    const stored = isJsonObject(given) ? (withRealEnumValues(type.config, given) as JsonObject) : {};
    const parsed = parseWith(type.config, isJsonObject(given) ? stored : given, 'settings');
    const issues = parsed.ok ? outerIssues(stored) : parsed.issues;
    return { stored, issues };
}

/** Issues that the schema of a type does not find, since these rules apply to all types. */
function outerIssues(settings: JsonObject): readonly SchemaIssue[] {
    const bytes = Buffer.byteLength(JSON.stringify(settings));
    if (bytes > MAX_BYTES)
        return [issueBecause('settings', clause`has ${bytes} bytes as JSON; allowed: at most ${MAX_BYTES}`, 'verb')];
    const path = forbiddenKey(settings, 'settings');
    if (path === undefined) return [];
    return [issueAt(path, ISSUE_TEXTS.forbiddenKey, { key: show(path.slice(path.lastIndexOf('.') + 1)) })];
}

function forbiddenKey(value: JsonValue, path: string): string | undefined {
    if (Array.isArray(value))
        return (value as readonly JsonValue[]).map((element, i) => forbiddenKey(element, `${path}.${i}`)).find(Boolean);
    if (!isJsonObject(value)) return undefined;
    for (const [key, inner] of Object.entries(value)) {
        const found = FORBIDDEN_KEYS.has(key) ? `${path}.${key}` : forbiddenKey(inner, `${path}.${key}`);
        if (found !== undefined) return found;
    }
    return undefined;
}

/** A stored connection as adapters get it, or why they cannot use it: its type may no longer be registered, or have more rules by now. */
export function readConnection(
    row: StoredConnection,
    registry: Registry,
): { readonly connection: Connection } | { readonly problem: Problem } {
    const type = connectionType(registry, row.type);
    if (!type)
        return { problem: clause`no adapter knows its type ${row.type}. ${registry.hint('connection', row.type)}` };
    const parsed = parseWith(type.config, row.settings, 'settings');
    if (!parsed.ok) return { problem: factText('{issues}', { issues: issueFacts(parsed.issues) }) };
    return { connection: { code: row.code, type: type.code, settings: parsed.value as JsonObject } };
}

/** The addresses of a connection whose hosts may not be reached, each as an issue with the path of its setting. */
export function blockedSettings(
    { type, settings }: Pick<FlowConnection, 'type' | 'settings'>,
    registry: Registry,
    hostProblem: HostProblem,
): readonly SchemaIssue[] {
    const known = connectionType(registry, type);
    if (!known || !parseWith(known.config, settings, 'settings').ok) return [];
    const addresses = addressesOf(known.config, settings).map(one => ({ ...one, path: `settings.${one.path}` }));
    return blockedAddresses(addresses, hostProblem);
}

/** The secrets that the settings of a connection name. */
export function secretsOf(
    { type, settings }: Pick<FlowConnection, 'type' | 'settings'>,
    registry: Registry,
): readonly Reference[] {
    const known = connectionType(registry, type);
    return known ? referencesOf(known.config, settings).filter(({ to }) => to === 'secret') : [];
}

/** Where the settings of a connection send the secrets that they name. Empty if the settings cannot be read. */
export function connectionSecretUses(row: StoredConnection, registry: Registry): readonly SecretUse[] {
    const read = readConnection(row, registry);
    if ('problem' in read) return [];
    const { type, settings } = read.connection;
    return connectionType(registry, type)?.secretUses?.(settings, () => undefined) ?? [];
}

/** The servers of a connection, as entries of `allowedHosts`. */
export function connectionServers(
    { type, settings }: Connection,
    registry: Registry,
    secrets: Resources['secrets'],
): readonly string[] {
    return connectionType(registry, type)?.servers?.(settings, secrets) ?? [];
}

/** Whether a field accepts connections of a type. A field may name a type by any of its codes. */
export function fitsConnection(registry: Registry, type: string, allowed: readonly string[] | undefined): boolean {
    return (
        allowed === undefined || allowed.some(code => connectionType(registry, code)?.code === type || code === type)
    );
}
