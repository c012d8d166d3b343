import { type ComponentKind, UPPER_CASE } from './component-kind';

/** Starts runs. */
export const trigger: ComponentKind = {
    codes: UPPER_CASE,
    folder: 'src/core/triggers',
    alsoIn: [],
    hasCategories: false,
    hasBatch: false,
    index: 'src/core/triggers/index.ts',
    list: 'triggers',
    declaration: ({ code, name, title }) => `import { z } from 'zod';
import { defineTrigger } from '../adapter/trigger';

/** ${title}: a call that names the trigger. The step's \`type\` is taken off before this is applied. */
export const ${name} = defineTrigger({
    code: '${code}',
    title: '${title}',
    summary: 'Starts the pipeline when a call names this trigger.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A trigger that is not enabled starts nothing.' }),
        name: z
            .string()
            .regex(/^[a-z][a-z0-9-]{0,63}$/, 'allowed: 1 to 64 small letters, digits and hyphens, the first a letter')
            .meta({ title: 'Name', description: 'What the call names.' }),
    }),
});
`,
    spec: ({ code, name, file }) => `import { parseWith } from '../schema/issues';
import { ${name} } from '${file}';

describe('${code}', () => {
    it('is enabled unless it says otherwise', () => {
        expect(${name}.config.parse({ name: 'nightly' })).toEqual({ enabled: true, name: 'nightly' });
        expect(${name}.config.parse({ name: 'nightly', enabled: false })).toMatchObject({ enabled: false });
    });

    it.each([{}, { name: '' }, { name: 'At night' }])('needs a name that a call can have, not %j', config => {
        const parsed = parseWith(${name}.config, config);
        expect(parsed.ok ? [] : parsed.issues.map(({ path }) => path)).toEqual(['name']);
    });
});
`,
    next: (file, { code }) => [
        `Edit ${file}: summary and fields.`,
        `Have its runs started: a definition may have triggers of the type ${code} now; src/plugin/runs/run-starter.ts starts those of MANUAL.`,
        'npm run test:unit -- src/core/triggers test/registry-contract    runs its spec and the contract',
    ],
};
