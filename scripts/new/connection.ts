import { type ComponentKind, UPPER_CASE } from './component-kind';

/** Run by test/registry-contract.spec.ts. */
const EXAMPLES = `examples: [
        { settings: { host: 'erp.example.com' } },
        {
            settings: { host: '192.0.2.7', port: 8443, username: 'flow', passwordSecretCode: 'erp-password' },
            note: 'With a login.',
        },
    ],`;

/** Connects to another system. */
export const connection: ComponentKind = {
    codes: UPPER_CASE,
    folder: 'src/adapters/connections',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/adapters/index.ts',
    list: 'connections',
    declaration: ({ code, name, title }) => `import { z } from 'zod';
import { defineConnection } from '../../core/adapter/connection';
import { allowedEntriesOf, secretsSentTo } from '../../core/adapter/secret-hosts';
import { clause } from '../../core/errors/rendered';
import { secretCode, timeoutMs, withRules } from '../../core/schema/fields';
import { host, port, username } from './address';

/** ${title}: a server with a login. */
export const ${name} = defineConnection({
    code: '${code}',
    category: 'Servers',
    title: '${title}',
    summary: 'Connects to a server, with a login if it requires one.',
    config: withRules(
        z.strictObject({
            host: host('The name or address of the server.'),
            port: port('The port of the server.').default(443),
            username: username('The username for the login. Needs passwordSecretCode.').optional(),
            passwordSecretCode: secretCode('Password secret', 'The secret that holds the password.').optional(),
            timeoutMs: timeoutMs('Timeout', 'How long the server may take to answer, in milliseconds.'),
        }),
        ({ username: user, passwordSecretCode }, report) => {
            if (user !== undefined && passwordSecretCode === undefined)
                report('passwordSecretCode', clause\`is missing; username needs it\`);
            if (user === undefined && passwordSecretCode !== undefined)
                report('username', clause\`is missing; passwordSecretCode needs it\`);
        },
    ),
    secretUses: settings => secretsSentTo(settings, settings, ['passwordSecretCode']),
    servers: settings => allowedEntriesOf(settings),
    ${EXAMPLES}
});
`,
    spec: ({ code, name, file }) => `import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { ${name} } from '${file}';

/** The invalid fields. */
function invalidFields(settings: JsonObject): readonly string[] {
    const parsed = parseWith(${name}.config, settings);
    return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
}

describe('${code}', () => {
    it.each<[JsonObject, readonly string[]]>([
        [{ host: 'a', username: 'u', passwordSecretCode: 'p' }, []],
        [{ host: 'a', username: 'u' }, ['passwordSecretCode']],
        [{ host: 'a', passwordSecretCode: 'p' }, ['username']],
        [{ username: 'u' }, ['host', 'passwordSecretCode']],
    ])('of %j, rejects %j', (settings, paths) => {
        expect([...invalidFields(settings)].sort()).toEqual(paths);
    });

    it('fills in the defaults', () => {
        expect(${name}.config.parse({ host: 'a' })).toEqual({ host: 'a', port: 443, timeoutMs: 30_000 });
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary, category, settings, the rules between them, and examples.`,
        'npm run test:unit -- src/adapters/connections test/registry-contract    runs its spec, its examples and the contract',
        `npm run docs    writes docs/reference/connections/${code}.md`,
    ],
};
