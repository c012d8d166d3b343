import { clause, type FactText } from '../../core/errors/rendered';
import { Kind, type OperationDefinitionNode, OperationTypeNode, type TypeNode } from 'graphql';
import { readDocument } from '../requests/graphql-text';

/** A variable that an operation declares. */
export interface QueryVariable {
    readonly name: string;
    readonly type: TypeNode;
    /** A value must be given: its type is not null, and it has no default. */
    readonly isRequired: boolean;
}

/** The field of the configuration with the problem. */
interface QueryProblem {
    readonly field: 'query' | 'operationName';
    readonly problem: FactText;
}

/** The variables of the query in a document, or what is wrong with the document. */
export function variablesOfQuery(
    text: string,
    operationName: string | undefined,
): readonly QueryVariable[] | QueryProblem {
    const document = readDocument(text);
    if ('problem' in document) return { field: 'query', problem: document.problem };
    const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
    const others = document.definitions.some(
        ({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION,
    );
    if (others) return { field: 'query', problem: clause`has something other than operations and fragments` };
    const chosen = chosenOf(operations, operationName);
    if ('problem' in chosen) return chosen;
    if (chosen.operation !== OperationTypeNode.QUERY)
        return {
            field: 'query',
            problem: clause`is a ${chosen.operation}; allowed: a query, because it may be sent twice`,
        };
    return (chosen.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
        name: variable.name.value,
        type,
        isRequired: type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined,
    }));
}

function chosenOf(
    operations: readonly OperationDefinitionNode[],
    name: string | undefined,
): OperationDefinitionNode | QueryProblem {
    const names = operations.flatMap(operation => (operation.name ? [operation.name.value] : []));
    const known = names.length === 0 ? clause`it names none` : clause`allowed: ${names.join(', ')}`;
    if (operations.length === 0) return { field: 'query', problem: clause`has no operation; allowed: a query` };
    if (name === undefined)
        return operations.length === 1
            ? operations[0]!
            : { field: 'operationName', problem: clause`is missing; the document has several operations; ${known}` };
    return (
        operations.find(operation => operation.name?.value === name) ?? {
            field: 'operationName',
            problem: clause`is not an operation of the document; ${known}`,
        }
    );
}
