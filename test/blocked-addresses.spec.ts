import type { AdapterDefinition } from '../src/core/adapter/definition';
import { checkDefinition } from '../src/core/pipeline/parse';
import { own } from '../src/core/data/own-properties';
import { addressesOf, addressFieldsOf } from '../src/core/schema/address-fields';
import { definitionOf, type Schema } from '../src/core/schema/definition';
import { parseWith } from '../src/core/schema/issues';
import { fieldsWhere, visitTexts } from '../src/core/schema/texts';
import { bare } from '../src/core/schema/walk';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import { runAtOnce } from '../src/core/concurrency/yielding-task';
import { hostProblemOf } from '../src/io/outbound/host-problem';
import { setUp } from '../src/plugin/setup';
import { blockedSettings } from '../src/plugin/options/connection-settings';

// As the plugin builds it: every adapter is checked, those that are added later included.
const { registry } = setUp({});
const hostProblem = hostProblemOf({ allowedHostnames: ['10.0.0.7'], allowedPorts: [] });

/** Fields that look like the address of a server and are never requested, by adapter and path, with the reason. */
const NOT_REQUESTED: Readonly<Record<string, string>> = {
    'sink fileExport feedLink': 'The address of the shop, which is written into the file.',
};

/** How the names of fields end that hold the address of a server. */
const ADDRESS_NAME =
    /(?:^|\.)(?:host|hostname|url|uri|endpoint|node|server)$|(?:Url|Uri|Host|Hostname|Endpoint|Server)$/;
/** Texts of examples that are addresses of servers. */
const ADDRESS_TEXT = /^(?:https?:\/\/\S+|[\w-]+(?:\.[\w-]+)*\.example\.(?:com|org|net))$/i;

const AUTH = { auth: { type: 'OAUTH2', clientId: 'shop', clientSecretCode: 'client' } };
/** Configurations that can have an address which no example has, by adapter. */
const MORE: Readonly<Record<string, JsonObject>> = {
    'connection HTTP': { baseUrl: 'https://api.example.com', ...AUTH },
    'connection GRAPHQL': { baseUrl: 'https://api.example.com', ...AUTH },
    'extractor httpApi': { connectionCode: 'api', url: '/products', ...AUTH },
    'extractor graphql': {
        connectionCode: 'api',
        url: '/graphql',
        query: '{ products { sku } }',
        dataPath: 'data.products',
        ...AUTH,
    },
    'extractor database': { databaseType: 'POSTGRES', database: 'erp', username: 'shop', query: 'SELECT 1 AS sku' },
};

interface Example {
    readonly config?: JsonObject;
    readonly args?: JsonObject;
    readonly settings?: JsonObject;
}

function configsOf(adapter: AdapterDefinition): readonly JsonObject[] {
    const { examples = [] } = adapter as { readonly examples?: readonly Example[] };
    return examples.map(({ config, args, settings }) => config ?? args ?? settings ?? {});
}

/** The step that calls an adapter with a configuration, and where that is within the step. */
function stepOf(
    { kind, code }: AdapterDefinition,
    config: JsonObject,
): { readonly step: JsonObject; readonly at: string } {
    const step = (
        stepKind: string,
        given: JsonObject,
        at = '',
    ): { readonly step: JsonObject; readonly at: string } => ({
        step: { key: 'step', kind: stepKind, config: given },
        at: `steps[0].config.${at}`,
    });
    switch (kind) {
        case 'extractor':
            return step('EXTRACT', { adapterCode: code, ...config });
        case 'loader':
            return step('LOAD', { adapterCode: code, ...config });
        case 'sink':
            return step('SINK', { adapterCode: code, ...config });
        case 'trigger':
            return step('TRIGGER', { type: code, ...config });
        case 'operator':
            return step('TRANSFORM', { operators: [{ op: code, args: config }] }, 'operators[0].args.');
        case 'rule':
            return step('VALIDATE', { rules: [{ rule: code, config }] }, 'rules[0].config.');
        default:
            throw new Error(`No step calls a ${kind} with addresses.`);
    }
}

/** The paths at which a configuration is rejected, as saving a connection or publishing a definition does it. */
function rejectedPaths(adapter: AdapterDefinition, config: JsonObject): readonly string[] {
    if (adapter.kind === 'connection')
        return blockedSettings({ type: adapter.code, settings: config }, registry, hostProblem).map(({ path }) =>
            path.replace(/^settings\./, ''),
        );
    const { step, at } = stepOf(adapter, config);
    const { issues } = checkDefinition({ version: 1, steps: [step], edges: [] }, registry, { hostProblem });
    return issues
        .filter(
            ({ code, path, message }) =>
                code === 'CONFIG_INVALID' && path.startsWith(at) && message.includes('security.allowed'),
        )
        .map(({ path }) => path.slice(at.length));
}

/** A field for a text. */
function isText(field: Schema): boolean {
    return definitionOf(bare(field)).type === 'string';
}

/** A certificate is verified against a name, which an address is not. */
function unverified(config: JsonObject): JsonObject {
    const ssl = own(config, 'ssl');
    return isJsonObject(ssl) ? { ...config, ssl: { ...ssl, rejectUnauthorized: false } } : config;
}

function withValue(config: JsonObject, [key = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
    const inner = own(config, key);
    if (rest.length === 0) return { ...config, [key]: value };
    return { ...config, [key]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

const addressed = registry.definitions.flatMap(adapter =>
    addressFieldsOf(adapter.config).map(path => [adapter.kind, adapter.code, path, adapter] as const),
);

describe.each(addressed)('the %s %s with the address %s', (_kind, _code, path, adapter) => {
    const isUrl = addressesOf(adapter.config, withValue({}, path.split('.'), 'x'))[0]!.form === 'url';
    /** An example with another address; of those that its schema allows. */
    const configWith = (host: string): JsonObject => {
        const more = [own(MORE, `${adapter.kind} ${adapter.code}`) ?? []].flat();
        const value = isUrl ? `http://${host.includes(':') ? `[${host}]` : host}/x` : host;
        const all = [...configsOf(adapter), ...more].map(config =>
            unverified(withValue(config, path.split('.'), value)),
        );
        const allowed = all.find(config => parseWith(adapter.config, config).ok);
        if (!allowed) throw new Error(`No example of ${adapter.code} can have ${path}. Add one, or a line to MORE.`);
        return allowed;
    };

    it.each(['169.254.169.254', '127.0.0.1', '::1', '10.0.0.8', 'localhost', 'db.localhost'])(
        'is rejected if it leads to %s, which may not be reached',
        host => expect(rejectedPaths(adapter, configWith(host))).toEqual([path]),
    );

    it.each(['partner.example.com', '10.0.0.7'])('may lead to %s', host =>
        expect(rejectedPaths(adapter, configWith(host))).toEqual([]),
    );
});

describe('the fields of all adapters', () => {
    it('are marked as addresses if their names say that they are', () => {
        const unmarked = registry.definitions.flatMap(({ kind, code, config }) => {
            const marked = new Set(addressFieldsOf(config));
            return fieldsWhere(config, isText)
                .filter(path => ADDRESS_NAME.test(path) && !marked.has(path))
                .map(path => `${kind} ${code} ${path}`);
        });
        expect(unmarked).toEqual([]);
    });

    it('are marked as addresses if an example has an address in them', () => {
        const unmarked = new Set<string>();
        for (const adapter of registry.definitions) {
            for (const config of configsOf(adapter)) {
                const marked = new Set(addressesOf(adapter.config, config).map(({ path }) => path));
                const visit = (_field: unknown, text: string, { path }: { readonly path: string }): void => {
                    if (ADDRESS_TEXT.test(text) && !marked.has(path))
                        unmarked.add(`${adapter.kind} ${adapter.code} ${path}`);
                };
                runAtOnce(visitTexts(adapter.config, config, { isField: () => false, visit }));
            }
        }
        expect([...unmarked]).toEqual(Object.keys(NOT_REQUESTED));
    });
});
