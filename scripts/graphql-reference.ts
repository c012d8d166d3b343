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
import { operationsOf, type Topic, topicOf, TOPICS, topicsOfTypes } from './graphql-topics';
import { cell, code, GENERATED } from './reference-pages';

const LISTS = `## Lists

A query whose type ends in \`List\` returns \`items\` and \`totalItems\` and accepts \`options\` like all lists of Vendure:

| Option | Meaning |
|---|---|
| \`skip\`, \`take\` | Skips and returns this many items. \`take\` is at most Vendure's \`apiOptions.adminListQueryLimit\` (default 1,000). |
| \`sort\` | A field and \`ASC\` or \`DESC\`: \`{ createdAt: DESC }\`. |
| \`filter\` | Conditions on fields: \`{ code: { contains: "stock" }, enabled: { eq: true } }\`; \`_and\` and \`_or\` nest. |
| \`filterOperator\` | Whether all conditions must match (\`AND\`, default) or any (\`OR\`). |

You can sort and filter by the scalar fields of the listed type: text, numbers, times and ids; filters also accept enums and booleans.
`;

/** The reference of the admin API: an index and a page for each topic, with operations, their permissions and types. */
export function graphqlPages(): ReadonlyMap<string, string> {
    return new Map([
        ['graphql.md', indexPage()],
        ...TOPICS.map(topic => [`graphql/${topic.file}.md`, topicPage(topic)] as const),
    ]);
}

function indexPage(): string {
    const rows = TOPICS.map(topic => {
        const named = (kind: Operation['kind']): string =>
            operationsOf(topic)
                .filter(operation => operation.kind === kind)
                .map(operation => link(operation))
                .join(', ');
        return `## ${topic.title}\n\n- Queries: ${named('Query') || 'none'}\n- Mutations: ${named('Mutation') || 'none'}\n`;
    });
    return [
        `${GENERATED}\n# GraphQL admin API\n`,
        "Flow adds these operations to Vendure's admin API. They work on the active channel: items of another channel are not found.",
        `Errors have a code in \`extensions.code\`: those of the [error reference](errors.md), and Vendure's own \`FORBIDDEN\`. ` +
            `See [permissions](permissions.md) for what a role needs.\n`,
        ...rows,
        LISTS,
    ].join('\n');
}

function topicPage(topic: Topic): string {
    const topics = topicsOfTypes();
    const isHere = ({ name }: { readonly name: { readonly value: string } }): boolean =>
        topics.get(name.value) === topic;
    const types = objectTypes.filter(isHere);
    const lists = types.filter(isList).map(({ name }) => code(name.value));
    const section = (title: string, parts: readonly string[]): readonly string[] =>
        parts.length === 0 ? [] : [`## ${title}\n\n${parts.join('\n')}`];
    const operated = (kind: Operation['kind']): readonly string[] =>
        operationsOf(topic)
            .filter(operation => operation.kind === kind)
            .map(operationText);
    return [
        `${GENERATED}\n# ${topic.title}\n\nThis page is part of the [GraphQL reference](../graphql.md).\n`,
        ...section('Queries', operated('Query')),
        ...section('Mutations', operated('Mutation')),
        ...section('Types', [
            ...types.filter(type => !isList(type)).map(fieldsText),
            ...(lists.length === 0
                ? []
                : [`### Lists\n\n${lists.join(', ')}: each with \`items\` and \`totalItems\`.\n`]),
        ]),
        ...section('Enums', enums.filter(isHere).map(enumText)),
        ...section('Inputs', inputs.filter(input => isHere(input) && (input.fields ?? []).length > 0).map(fieldsText)),
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
            ...fields.map(({ type, field }) => `- the field \`${type}.${field}\`, null without it`),
            ...(name in ASKED_FOR_CONTENT ? [`- ${ASKED_FOR_CONTENT[name]}`] : []),
        ];
        return `## ${name}\n\n${description}.\n\n${lines.join('\n')}\n`;
    });
    return [
        `${GENERATED}\n# Permissions\n`,
        'A role has permissions per channel. Without a permission, operations return `FORBIDDEN`. Items of another channel are not found.',
        'A superadmin has all permissions.\n',
        'A run acts for the user who started it, or for the publisher of its revision (see [who a run acts for](../guide/concepts.md#who-a-run-acts-for)).',
        'It needs the permissions of its loaders (on their [reference pages](loaders)) and those in `capabilities.requires`.',
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
    return `[\`${name}\`](graphql/${topicOf(name).file}.md#${name.toLowerCase()})`;
}

function alternatives({ permissions: allowed = [] }: Operation, than: string): string {
    const others = allowed.filter(name => name !== than);
    return others.length === 0 ? '' : ` (or ${others.map(code).join(' or ')}; see its description)`;
}
