import { type FactText, clause } from '../../core/errors/rendered';
import {
    type FieldNode,
    type FragmentDefinitionNode,
    Kind,
    type NameNode,
    type OperationDefinitionNode,
    OperationTypeNode,
    print,
    visit,
} from 'graphql';
import { readDocument } from '../requests/graphql-text';

/** A variable that a mutation declares. */
export interface Variable {
    readonly name: string;
    /** A value must be given: its type is not null, and it has no default. */
    readonly isRequired: boolean;
}

/** A request's document, and the names in it. */
interface MutationRequest {
    readonly query: string;
    /** The key of each record's field in the response's `data`. */
    readonly keys: readonly string[];
    /** The name of a variable for a record. */
    nameOf(variable: string, record: number): string;
}

/** One mutation of one field, which can be sent for many records in one document. */
export interface Mutation {
    readonly variables: readonly Variable[];
    /** Why a document cannot contain it more than once, as the end of a sentence; undefined if it can. */
    readonly aloneBecause: FactText | undefined;
    /** The document for this number of records. For a single record, it is the document as written. */
    requestFor(records: number): MutationRequest;
}

/** Reads the text of a mutation, or returns what is wrong with it, as the end of a sentence. */
export function readMutation(text: string): Mutation | { readonly problem: FactText } {
    const document = readDocument(text);
    if ('problem' in document) return document;
    const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
    const fragments = document.definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
    const [operation] = operations;
    if (!operation || operations.length > 1 || operation.operation !== OperationTypeNode.MUTATION)
        return {
            problem:
                operations.length === 1
                    ? clause`has a ${operation!.operation}; allowed: one mutation`
                    : clause`has ${operations.length} operations; allowed: one mutation`,
        };
    if (operations.length + fragments.length < document.definitions.length)
        return { problem: clause`has something other than a mutation and fragments` };
    const [field, ...others] = operation.selectionSet.selections;
    if (field?.kind !== Kind.FIELD || others.length > 0)
        return {
            problem: clause`selects more than one field; allowed: a mutation with one field, which is called for each record`,
        };
    return new OneField(text, { operation, field, fragments });
}

interface Parts {
    readonly operation: OperationDefinitionNode;
    readonly field: FieldNode;
    readonly fragments: readonly FragmentDefinitionNode[];
}

class OneField implements Mutation {
    readonly variables: readonly Variable[];
    readonly aloneBecause: FactText | undefined;
    /** All parts of a batch except the last have the same size. */
    private last: (MutationRequest & { readonly records: number }) | undefined;

    constructor(
        private readonly text: string,
        private readonly parts: Parts,
    ) {
        const { operation, fragments } = parts;
        this.variables = (operation.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
            name: variable.name.value,
            isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
        }));
        if ((operation.directives ?? []).length > 0) this.aloneBecause = clause`has directives of the whole operation`;
        if (fragments.some(usesVariables)) this.aloneBecause = clause`has a fragment that uses variables`;
    }

    requestFor(records: number): MutationRequest {
        if (records === 1) {
            const { alias, name } = this.parts.field;
            return { query: this.text, keys: [(alias ?? name).value], nameOf: variable => variable };
        }
        if (this.last?.records !== records) this.last = { ...this.aliased(records), records };
        return this.last;
    }

    /** The field once per record, each with an alias and separate variables. */
    private aliased(records: number): MutationRequest {
        const { operation, field, fragments } = this.parts;
        const keys = Array.from({ length: records }, (_, i) => `r${i}`);
        const nameOf = (variable: string, record: number): string => `r${record}_${variable}`;
        const renamed = <T extends FieldNode | OperationDefinitionNode>(node: T, record: number): T =>
            visit(node, {
                Variable: variable => ({ ...variable, name: named(nameOf(variable.name.value, record)) }),
            }) as T;
        const copies = keys.map((key, i) =>
            renamed(
                {
                    ...operation,
                    selectionSet: { ...operation.selectionSet, selections: [{ ...field, alias: named(key) }] },
                },
                i,
            ),
        );
        const whole: OperationDefinitionNode = {
            ...operation,
            variableDefinitions: copies.flatMap(copy => copy.variableDefinitions ?? []),
            selectionSet: {
                kind: Kind.SELECTION_SET,
                selections: copies.flatMap(copy => copy.selectionSet.selections),
            },
        };
        return { query: print({ kind: Kind.DOCUMENT, definitions: [whole, ...fragments] }), keys, nameOf };
    }
}

function named(value: string): NameNode {
    return { kind: Kind.NAME, value };
}

function usesVariables(fragment: FragmentDefinitionNode): boolean {
    let found = false;
    visit(fragment, { Variable: () => void (found = true) });
    return found;
}
