import { readTimestamp } from '../../core/data/timestamp';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { quoted, known } from '../entities/record-issues';
import { type FieldReader, invalidText } from '../entities/read-field';
import {
    type ArgumentDefinition,
    argumentProblem,
    kindOfIds,
    type NamedKind,
    type OperationDefinition,
    storedValue,
} from './argument';

/** The operations of one kind that a shop has: its collection filters, its promotion conditions. */
export type OperationDefinitions = readonly OperationDefinition[];

/** An argument that a record gives, in the right type. */
export type DesiredArgument = { readonly name: string } & (
    | { readonly value: string }
    | {
          /** The entities that its texts name; the stored form has ids instead. */
          readonly of: NamedKind;
          readonly isList: boolean;
          readonly names: ReadonlyArray<{ readonly name: string; readonly path: string }>;
      }
);

/** An operation in a record: one that the shop has, with arguments that its definition accepts, in its order. */
export interface DesiredOperation {
    readonly code: string;
    readonly args: readonly DesiredArgument[];
}

interface Place {
    readonly reader: FieldReader;
    readonly path: string;
}

/** Reads a list of operations, `{code, args: {name: value}}` each; null empties it. Undefined if there is none, or if an error was added. */
export function readOperations(
    reader: FieldReader,
    field: string,
    definitions: OperationDefinitions,
): readonly DesiredOperation[] | undefined {
    const value = reader.data[field];
    if (value === undefined) return undefined;
    if (value === null) return [];
    if (!Array.isArray(value))
        return reader.refuse(field, 'allowed: a list of {code, args} (the operator parseJson makes one of a text)');
    const read = (value as readonly JsonValue[]).map((entry, i) =>
        readEntry({ reader, path: `${reader.path(field)}.${i}` }, entry, definitions),
    );
    return read.includes(undefined) ? undefined : (read as readonly DesiredOperation[]);
}

/** Reads one operation; null means no operation. */
export function readOperation(
    reader: FieldReader,
    field: string,
    definitions: OperationDefinitions,
): DesiredOperation | null | undefined {
    const value = reader.data[field];
    if (value === undefined || value === null) return value;
    return readEntry({ reader, path: reader.path(field) }, value, definitions);
}

function readEntry(
    keysetPosition: Place,
    value: JsonValue,
    definitions: OperationDefinitions,
): DesiredOperation | undefined {
    const { faults: issues } = keysetPosition.reader;
    const before = issues.count;
    const refuse = (path: string, problem: string, found: JsonValue | undefined): undefined => {
        issues.add(`${keysetPosition.path}${path}`, problem, found);
        return undefined;
    };
    if (!isJsonObject(value)) return refuse('', invalidText(value, 'allowed: an object {code, args}'), value);
    const { code, args = {}, ...others } = value;
    const definition = definitions.find(one => one.code === code);
    if (!definition)
        return refuse('.code', `is ${quoted(code)}; ${known(definitions.map(one => one.code).sort())}`, code);
    for (const name of Object.keys(others)) refuse(`.${name}`, 'is unknown; allowed: code, args', others[name]);
    if (!isJsonObject(args)) return refuse('.args', invalidText(args, 'allowed: an object {name: value}'), args);
    const read = readArguments({ ...keysetPosition, path: `${keysetPosition.path}.args` }, args, definition);
    return issues.count > before ? undefined : { code: definition.code, args: read };
}

function readArguments(keysetPosition: Place, given: JsonObject, definition: OperationDefinition): DesiredArgument[] {
    const definitions = Object.entries(definition.args);
    const { faults: issues } = keysetPosition.reader;
    for (const name of Object.keys(given))
        if (!definitions.some(([one]) => one === name))
            issues.add(
                `${keysetPosition.path}.${name}`,
                `is unknown; ${known(definitions.map(([one]) => one))}`,
                given[name],
            );
    return definitions.flatMap(([name, argument]): readonly DesiredArgument[] => {
        const at = { ...keysetPosition, path: `${keysetPosition.path}.${name}` };
        if (given[name] !== undefined) return readArgument(at, { name, argument, value: given[name] });
        // As the dashboard's form fills it in. What is not switched on is off; of all else, operations expect that it is there.
        if (argument.defaultValue !== undefined) return [{ name, value: storedValue(argument, argument.defaultValue) }];
        if (argument.required === true || (argument.required === undefined && argument.type !== 'boolean'))
            issues.add(at.path, `is missing; ${definition.code} needs it`);
        return [];
    });
}

function readArgument(
    { reader: { faults: issues }, path }: Place,
    {
        name,
        argument,
        value,
    }: { readonly name: string; readonly argument: ArgumentDefinition; readonly value: JsonValue },
): readonly DesiredArgument[] {
    const isList = argument.list === true;
    if (isList && !Array.isArray(value)) {
        issues.add(path, invalidText(value, 'allowed: a list'), value);
        return [];
    }
    const values = isList ? (value as readonly JsonValue[]) : [value];
    const before = issues.count;
    const paths = values.map((_, i) => (isList ? `${path}.${i}` : path));
    values.forEach((one, i) => {
        const problem = argumentProblem(argument, one);
        if (problem !== undefined) issues.add(paths[i]!, problem, one);
    });
    if (issues.count > before) return [];
    const of = kindOfIds(argument);
    if (of)
        return [{ name, of, isList, names: values.map((one, i) => ({ name: String(one).trim(), path: paths[i]! })) }];
    const typed = values.map(one => typedValue(argument, one));
    return [{ name, value: storedValue(argument, isList ? typed : typed[0]) }];
}

const typedValue = ({ type }: ArgumentDefinition, value: JsonValue): unknown =>
    type === 'datetime' ? new Date(readTimestamp(value)!) : type === 'ID' ? String(value) : value;
