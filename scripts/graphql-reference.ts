import { type FieldDefinitionNode, type InputValueDefinitionNode, print } from 'graphql';
import {
    ASKED_FOR_CONTENT,
    descriptionOf,
    enums,
    guardedFields,
    inputs,
    objectTypes,
    type Operation,
    operations,
    permissions,
} from './api-surface';
import { cell, code, GENERATED } from './reference-pages';

const LISTS = `## Lists

A query whose answer ends in \`List\` answers \`items\` and \`totalItems\`, and takes \`options\` as all lists of Vendure do:

| Option | Meaning |
|---|---|
| \`skip\`, \`take\` | Leaves out the first so many, answers so many. Vendure's \`apiOptions.adminListQueryLimit\` (1,000 unless configured) is the most. |
| \`sort\` | A field and \`ASC\` or \`DESC\`: \`{ createdAt: DESC }\`. |
| \`filter\` | Fields and what must hold: \`{ code: { contains: "stock" }, enabled: { eq: true } }\`; \`_and\` and \`_or\` nest. |
| \`filterOperator\` | Whether all of the filter must hold (\`AND\`, the default) or any (\`OR\`). |

Sort and filter take the plain fields of the listed type: text, numbers, times, ids, and for the filter enums and booleans too.
`;

/** The reference of the admin API: operations with the permission that their resolvers demand, then types. */
export function graphqlPage(): string {
    const all = operations();
    const lists = objectTypes.filter(isList);
    return [
        `${GENERATED}\n# GraphQL admin API\n`,
        "What Flow adds to Vendure's admin API. Everything works on the active channel: what belongs to another one is not found there.",
        `Errors have a code in \`extensions.code\`: those of the [catalogue](errors.md), and Vendure's own \`FORBIDDEN\`. ` +
            `Who may do what: [permissions](permissions.md).\n`,
        LISTS,
        `## Queries\n\n${all
            .filter(({ kind }) => kind === 'Query')
            .map(operationText)
            .join('\n')}`,
        `## Mutations\n\n${all
            .filter(({ kind }) => kind === 'Mutation')
            .map(operationText)
            .join('\n')}`,
        `## Types\n\n${objectTypes
            .filter(type => !isList(type))
            .map(fieldsText)
            .join('\n')}`,
        `### Lists\n\n${lists.map(({ name }) => code(name.value)).join(', ')}: each with \`items\` and \`totalItems\`.\n`,
        `## Enums\n\n${enums.map(enumText).join('\n')}`,
        `## Inputs\n\n${inputs
            .filter(({ fields = [] }) => fields.length > 0)
            .map(fieldsText)
            .join('\n')}`,
    ].join('\n');
}

/** Each permission, what it opens, and which fields stay null without it. */
export function permissionsPage(): string {
    const all = operations();
    const guarded = guardedFields();
    const sections = permissions.map(({ name, description }) => {
        const opened = all.filter(operation => operation.permissions?.includes(name));
        const fields = guarded.filter(({ permission }) => permission === name);
        const lines = [
            ...opened.map(operation => `- ${link(operation)}${alternatives(operation, name)}`),
            ...fields.map(({ type, field }) => `- the field \`${type}.${field}\`, which is null without it`),
            ...(name in ASKED_FOR_CONTENT ? [`- ${ASKED_FOR_CONTENT[name]}`] : []),
        ];
        return `## ${name}\n\n${description}.\n\n${lines.join('\n')}\n`;
    });
    return [
        `${GENERATED}\n# Permissions\n`,
        'A role gets them per channel. What a role does not have is answered with `FORBIDDEN`; what belongs to another channel is not found,',
        'whatever the role. A superadmin has all of them.\n',
        'A run acts for the person who started it, or for the publisher of its revision (see [Who a run acts for](../guide/concepts.md#who-a-run-acts-for)).',
        'It needs the permissions of its loaders (on their [reference pages](loaders)) and those that its definition lists in `capabilities.requires`.',
        'They are checked when a revision is published or allowed to run, and again when a run starts.\n',
        ...sections,
    ].join('\n');
}

function operationText({ name, field, permissions: allowed }: Operation): string {
    if (allowed === undefined)
        throw new Error(`${name} has no resolver with @Allow: there is no permission to document`);
    return `### ${name}\n\n${descriptionOf(field)}\n\n\`\`\`graphql\n${signature(field)}\n\`\`\`\n\nPermission: ${allowed.map(code).join(' or ')}.\n`;
}

function signature(field: FieldDefinitionNode): string {
    const args = (field.arguments ?? []).map(argument => `${argument.name.value}: ${print(argument.type)}`).join(', ');
    return `${field.name.value}${args === '' ? '' : `(${args})`}: ${print(field.type)}`;
}

interface WithFields {
    readonly name: { readonly value: string };
    readonly description?: { readonly value: string } | undefined;
    readonly fields?: ReadonlyArray<FieldDefinitionNode | InputValueDefinitionNode> | undefined;
}

function fieldsText(type: WithFields): string {
    const rows = (type.fields ?? []).map(
        field => `| ${code(field.name.value)} | ${code(print(field.type))} | ${cell(descriptionOf(field))} |`,
    );
    return `${heading(type)}| Field | Type | Description |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function enumText(type: (typeof enums)[number]): string {
    const rows = (type.values ?? []).map(value => `| ${code(value.name.value)} | ${cell(descriptionOf(value))} |`);
    return `${heading(type)}| Value | Meaning |\n|---|---|\n${rows.join('\n')}\n`;
}

function heading(type: Pick<WithFields, 'name' | 'description'>): string {
    const description = descriptionOf(type);
    return `### ${type.name.value}\n\n${description === '' ? '' : `${description}\n\n`}`;
}

function isList(type: (typeof objectTypes)[number]): boolean {
    return (type.interfaces ?? []).some(({ name }) => name.value === 'PaginatedList');
}

function link({ name }: Operation): string {
    return `[\`${name}\`](graphql.md#${name.toLowerCase()})`;
}

function alternatives({ permissions: allowed = [] }: Operation, than: string): string {
    const others = allowed.filter(name => name !== than);
    return others.length === 0 ? '' : ` (or ${others.map(code).join(' or ')}; see there)`;
}
