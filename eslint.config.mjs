import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// Only what a compiler cannot say and a reviewer should not have to. Floors and cycles: test/architecture.spec.ts.

/** Modules that open sockets. The one door to the network is src/io/outbound, which checks every address before it connects. */
const NETWORK = [
    'undici',
    'axios',
    'got',
    'node-fetch',
    ...['http', 'https', 'http2', 'net', 'tls', 'dgram'].flatMap(name => [name, `node:${name}`]),
];

const FOCUSED = [
    {
        selector: 'MemberExpression[object.name=/^(describe|it|test)$/][property.name=/^(only|skip)$/]',
        message:
            'A test that does not run proves nothing: no .only, no .skip. A suite that lacks its server says needs(…).',
    },
    {
        selector: 'CallExpression[callee.name=/^(fdescribe|fit|xdescribe|xit|xtest)$/]',
        message: 'No focused or skipped tests.',
    },
];

export default tseslint.config(
    {
        ignores: [
            'dist/',
            'dist-dashboard/',
            'node_modules/',
            '.test-data/',
            'grouped-specs/',
            '.flow-demo/',
            'coverage/',
            'dashboard-ui/gql/graphql-env.d.ts',
        ],
    },
    { linterOptions: { reportUnusedDisableDirectives: 'error' } },
    js.configs.recommended,
    {
        files: ['**/*.{js,mjs,cjs}'],
        languageOptions: {
            globals: {
                process: 'readonly',
                console: 'readonly',
                module: 'writable',
                require: 'readonly',
                __dirname: 'readonly',
                __filename: 'readonly',
                URL: 'readonly',
                setTimeout: 'readonly',
                clearTimeout: 'readonly',
                Buffer: 'readonly',
            },
        },
    },
    {
        files: ['**/*.{ts,tsx,mts}'],
        extends: [...tseslint.configs.recommended],
        rules: {
            'no-undef': 'off', // The compiler knows better.
            'no-empty': ['error', { allowEmptyCatch: false }],
            'no-restricted-syntax': ['error', ...FOCUSED],
            eqeqeq: ['error', 'always', { null: 'ignore' }],
            'no-constant-condition': ['error', { checkLoops: false }],
            'no-control-regex': 'off', // Imported text does have control characters, and we look for them.
            '@typescript-eslint/no-explicit-any': 'error',
            '@typescript-eslint/no-empty-function': [
                'error',
                { allow: ['private-constructors', 'protected-constructors'] },
            ],
            '@typescript-eslint/no-unused-vars': [
                'error',
                { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all', ignoreRestSiblings: true },
            ],
            '@typescript-eslint/ban-ts-comment': [
                'error',
                { 'ts-expect-error': 'allow-with-description', 'ts-ignore': true, 'ts-nocheck': true },
            ],
            '@typescript-eslint/consistent-type-imports': [
                'error',
                { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
            ],
        },
        // With these two the rule on type imports leaves files with decorators alone: Nest injects classes by their run-time value.
        languageOptions: { parserOptions: { experimentalDecorators: true, emitDecoratorMetadata: true } },
    },
    {
        files: ['src/**/*.ts'],
        ignores: ['**/*.spec.ts'],
        // The program of the package: those of tests and benches, which no rule asks about, would take a third longer.
        languageOptions: { parserOptions: { project: './tsconfig.build.json', tsconfigRootDir: import.meta.dirname } },
        rules: {
            '@typescript-eslint/no-floating-promises': 'error',
            '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
            '@typescript-eslint/await-thenable': 'error',
            '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
            'no-console': 'error',
            // Not the rule max-params, since constructors are excused (Nest injects through them), and so are decorated methods
            // (the decorated arguments of an endpoint).
            'no-restricted-syntax': [
                'error',
                ...FOCUSED,
                ...[
                    'FunctionDeclaration[params.length>3]',
                    'ArrowFunctionExpression[params.length>3]',
                    'MethodDefinition[kind!="constructor"][decorators.length=0] > FunctionExpression[params.length>3]',
                    'Property > FunctionExpression[params.length>3]',
                ].map(selector => ({
                    selector,
                    message: 'At most three parameters: put the rest into one named object.',
                })),
            ],
        },
    },
    {
        files: ['src/**/*.ts'],
        ignores: ['src/io/outbound/**', '**/*.spec.ts'],
        rules: {
            'no-restricted-globals': [
                'error',
                ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map(name => ({
                    name,
                    message: 'The one door to the network is src/io/outbound.',
                })),
            ],
            'no-restricted-imports': [
                'error',
                { paths: NETWORK.map(name => ({ name, message: 'The one door to the network is src/io/outbound.' })) },
            ],
        },
    },
);
