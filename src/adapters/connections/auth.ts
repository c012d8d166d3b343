import { z } from 'zod';
import { secretCode, withRules } from '../../core/schema/fields';
import { headerNameProblem } from '../../core/schema/static-headers';

/** How a request to an HTTP-like system proves who sends it (spec 2, "Authentication"). */
export const AUTH_TYPES = ['NONE', 'BASIC', 'BEARER', 'API_KEY'] as const;

const headerName = z
    .string()
    .min(1)
    .max(128)
    .superRefine((name, cx) => {
        const problem = headerNameProblem(name);
        if (problem !== undefined && name !== '') cx.addIssue({ code: 'custom', message: problem });
    });

/** The fields that only one kind of authentication has. */
const OWNER = { username: 'BASIC', usernameSecretCode: 'BASIC', headerName: 'API_KEY' } as const;

/** Authentication with values from secrets: of a saved connection, or of a step that overrides it. */
export function httpAuth() {
    const fields = z.strictObject({
        type: z.enum(AUTH_TYPES).default('NONE').meta({
            title: 'Type',
            description: 'NONE, BASIC (name and password), BEARER (a token) or API_KEY (a header of its own).',
        }),
        secretCode: secretCode('Secret', 'The secret that holds the password, the token or the key.')
            .optional()
            .meta({ showIf: { type: ['BASIC', 'BEARER', 'API_KEY'] } }),
        username: z
            .string()
            .min(1)
            .max(255)
            .regex(/^[^:\p{Cc}]*$/u, 'must be one line without a colon')
            .optional()
            .meta({ title: 'User name', description: 'Of BASIC, where it is no secret.', showIf: { type: 'BASIC' } }),
        usernameSecretCode: secretCode('User name secret', 'Of BASIC: the secret that holds the user name.')
            .optional()
            .meta({ showIf: { type: 'BASIC' } }),
        headerName: headerName.optional().meta({
            title: 'Header',
            description: 'Of API_KEY: the header that carries the key, X-API-Key say.',
            showIf: { type: 'API_KEY' },
        }),
    });
    const checked = withRules(fields, (auth, fault) => {
        const { type, secretCode: secret, username, usernameSecretCode } = auth;
        if (!AUTH_TYPES.includes(type)) return;
        if (type === 'NONE' && secret !== undefined)
            fault('secretCode', 'is not used by the type NONE; choose a type or leave it out');
        if (type !== 'NONE' && secret === undefined)
            fault('secretCode', `is missing; ${type} needs the code of a secret`);
        for (const [field, owner] of Object.entries(OWNER)) {
            if (auth[field as keyof typeof OWNER] !== undefined && type !== owner)
                fault(field, `belongs to the type ${owner}; the type is ${type}`);
        }
        if (type === 'API_KEY' && auth.headerName === undefined)
            fault('headerName', 'is missing; API_KEY needs the name of a header');
        if (type !== 'BASIC') return;
        if (username === undefined && usernameSecretCode === undefined)
            fault('username', 'is missing; BASIC needs username or usernameSecretCode');
        if (username !== undefined && usernameSecretCode !== undefined)
            fault('usernameSecretCode', 'give either username or usernameSecretCode, not both');
    });
    return checked;
}
