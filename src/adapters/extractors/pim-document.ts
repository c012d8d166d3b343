import { clause, type FactText } from '../../core/errors/rendered';
import {
    type DirectiveNode,
    type FieldNode,
    type FragmentDefinitionNode,
    type InlineFragmentNode,
    Kind,
    print,
    type SelectionNode,
    type SelectionSetNode,
    type TypeNode,
    visit,
} from 'graphql';
import { readDocument } from '../requests/graphql-text';
import { variablesOfQuery } from './graphql-query';

/** The fields that a schema turned out to lack. */
export interface SchemaGap {
    readonly fields: ReadonlySet<string>;
    /** Fields that exist, but are the same in all languages. */
    readonly unlocalised: ReadonlySet<string>;
}

/** A user's query of a listing. */
export interface PimDocument {
    /** The variables that it declares. */
    readonly variables: ReadonlyMap<string, TypeNode>;
    /** The fields that may be omitted if the schema does not have them. */
    readonly optional: ReadonlySet<string>;
    /** Those of them whose absence is not reported, because others are read instead. */
    readonly quiet: ReadonlySet<string>;
    /** The text to send. */
    text(languages: readonly string[], gap: SchemaGap): string;
}

/**
 * These directives are removed before a query is sent. An optional field is omitted if the schema does not have it; a
 * localized field is requested in every language as well.
 */
const OPTIONAL = 'optional';
const LANGUAGES = 'languages';

/** The alias for a field in a language. */
export function localizedAlias(field: string, language: string): string {
    return `${field}__${language.replace(/\W/g, '_')}`;
}

/** Reads a query of a listing, or returns why it cannot be read by pages, as the end of a sentence. */
export function readPimDocument(text: string, responseField: string): PimDocument | { readonly problem: FactText } {
    const declared = variablesOfQuery(text, undefined);
    if ('problem' in declared) return { problem: declared.problem };
    const document = readDocument(text);
    if ('problem' in document) return document;
    const reader = new SelectionReader(document.definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION));
    const operation = document.definitions.find(node => node.kind === Kind.OPERATION_DEFINITION)!;
    const problem = reader.problemOf(operation.selectionSet, responseField);
    if (problem !== undefined) return { problem };
    const optional = new Set<string>();
    const quiet = new Set<string>();
    visit(document, {
        Field(field) {
            const directive = directiveOf(field, OPTIONAL);
            if (!directive) return;
            optional.add(field.name.value);
            if (isQuiet(directive)) quiet.add(field.name.value);
        },
    });
    return {
        variables: new Map(declared.map(({ name, type }) => [name, type])),
        optional,
        quiet,
        text: (languages, gap) =>
            print(
                visit(document, {
                    SelectionSet: {
                        leave: set => ({ ...set, selections: set.selections.flatMap(sentAs(languages, gap)) }),
                    },
                    Field: { leave: unlessEmpty },
                    InlineFragment: { leave: unlessEmpty },
                }),
            ),
    };
}

const sentAs =
    (languages: readonly string[], { fields, unlocalised }: SchemaGap) =>
    (selection: SelectionNode): readonly SelectionNode[] => {
        if (selection.kind !== Kind.FIELD) return [selection];
        const name = selection.name.value;
        const isOptional = hasDirective(selection, OPTIONAL);
        if (isOptional && fields.has(name)) return [];
        const isLocalised = hasDirective(selection, LANGUAGES) && !unlocalised.has(name);
        const directives = (selection.directives ?? []).filter(
            ({ name: { value } }) => value !== OPTIONAL && value !== LANGUAGES,
        );
        const plain = { ...selection, directives };
        return isLocalised ? [plain, ...languages.map(language => inLanguage(plain, language))] : [plain];
    };

/** A selection without fields is removed. */
function unlessEmpty({ selectionSet }: FieldNode | InlineFragmentNode): null | undefined {
    return selectionSet?.selections.length === 0 ? null : undefined;
}

function inLanguage(field: FieldNode, language: string): FieldNode {
    const key = field.alias?.value ?? field.name.value;
    return {
        ...field,
        alias: { kind: Kind.NAME, value: localizedAlias(key, language) },
        arguments: [
            ...(field.arguments ?? []),
            {
                kind: Kind.ARGUMENT,
                name: { kind: Kind.NAME, value: 'language' },
                value: { kind: Kind.STRING, value: language },
            },
        ],
    };
}

function hasDirective(field: FieldNode, desired: string): boolean {
    return directiveOf(field, desired) !== undefined;
}

function directiveOf({ directives = [] }: FieldNode, desired: string): DirectiveNode | undefined {
    return directives.find(({ name }) => name.value === desired);
}

/** `@optional(quiet: true)` */
function isQuiet({ arguments: given = [] }: DirectiveNode): boolean {
    return given.some(({ name, value }) => name.value === 'quiet' && value.kind === Kind.BOOLEAN && value.value);
}

/** Finds fields through fragments of both kinds. */
class SelectionReader {
    constructor(private readonly fragments: readonly FragmentDefinitionNode[]) {}

    problemOf(root: SelectionSetNode, responseField: string): FactText | undefined {
        const answers = [...this.fields(root)];
        const listing = answers.find(field => keyOf(field) === responseField);
        const known = answers.map(keyOf).join(', ');
        if (!listing)
            return clause`has no field "${responseField}" at its root; responseField can name one of: ${known}`;
        const inside = this.below(listing);
        const edges = inside.find(field => keyOf(field) === 'edges');
        if (!inside.some(field => keyOf(field) === 'totalCount'))
            return clause`does not ask ${responseField} for totalCount, by which the end is known`;
        const node = edges && this.below(edges).find(field => keyOf(field) === 'node');
        if (!node) return clause`does not ask ${responseField} for edges { node { id … } }`;
        if (!this.below(node).some(field => keyOf(field) === 'id'))
            return clause`does not ask for the id of its nodes, by which records are known again`;
        const arrives = (listing.arguments ?? []).some(
            ({ value }) => value.kind === Kind.VARIABLE && value.name.value === 'after',
        );
        return arrives
            ? undefined
            : clause`does not give $after to ${responseField}, without which every page is the first`;
    }

    private below({ selectionSet }: FieldNode): readonly FieldNode[] {
        return selectionSet ? [...this.fields(selectionSet)] : [];
    }

    private *fields(set: SelectionSetNode, seen: ReadonlySet<string> = new Set()): Generator<FieldNode> {
        for (const selection of set.selections) {
            if (selection.kind === Kind.FIELD) yield selection;
            else if (selection.kind === Kind.INLINE_FRAGMENT) yield* this.fields(selection.selectionSet, seen);
            else {
                const name = selection.name.value;
                const fragment = this.fragments.find(one => one.name.value === name);
                if (fragment && !seen.has(name)) yield* this.fields(fragment.selectionSet, new Set([...seen, name]));
            }
        }
    }
}

function keyOf({ alias, name }: FieldNode): string {
    return alias?.value ?? name.value;
}
