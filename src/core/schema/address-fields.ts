import type { z } from 'zod';
import type { JsonValue } from '../value/json';
import { show } from '../value/show';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import type { FactText } from '../errors/rendered';
import type { Schema } from './definition';
import { ISSUE_TEXTS } from './issue-texts';
import { issueAt, type SchemaIssue } from './issues';
import { fieldsWhere, visitTexts } from './texts';
import { bare } from './walk';

interface AddressKind {
    /** A whole URL, or a path that a connection completes; or the name or address of a server. */
    readonly form: 'url' | 'host';
    /** Ports of the service that is requested, from the adapter and never from a configuration. */
    readonly usualPorts: readonly number[];
}

/** The address of a server that a configuration names. */
export interface Address extends AddressKind {
    readonly text: string;
    /** The path within the configuration: `auth.tokenUrl`. */
    readonly path: string;
}

/** Why the host of an address may not be reached; undefined if it may. */
export type HostProblem = (address: Address) => FactText | undefined;

const marked = new WeakMap<Schema, AddressKind>();

/**
 * A field for the URL of a server. `addressesOf` finds it, so a configuration with the URL of a blocked host cannot be
 * saved or published.
 */
export function urlAddress<S extends z.ZodType>(field: S, usualPorts: readonly number[] = []): S {
    marked.set(bare(field), { form: 'url', usualPorts });
    return field;
}

/** As `urlAddress`, for the name or address of a server without scheme and port. */
export function hostAddress<S extends z.ZodType>(field: S): S {
    marked.set(bare(field), { form: 'host', usualPorts: [] });
    return field;
}

/** What is wrong with the addresses of a configuration whose hosts may not be reached, each with its path. */
export function blockedAddresses(addresses: readonly Address[], hostProblem: HostProblem): readonly SchemaIssue[] {
    return addresses.flatMap(address => {
        const { path, text } = address;
        const reason = hostProblem(address);
        return reason === undefined ? [] : [issueAt(path, ISSUE_TEXTS.address, { value: show(text), reason })];
    });
}

/** Every address that a value names, at any depth. */
export function addressesOf(schema: Schema, value: JsonValue): readonly Address[] {
    return runAtOnce(findingAddresses(schema, value));
}

/** Like `addressesOf`, as interruptible work. */
export function* findingAddresses(schema: Schema, value: JsonValue): YieldingTask<readonly Address[]> {
    if (addressFieldsOf(schema).length === 0) return [];
    const found: Address[] = [];
    yield* visitTexts(schema, value, {
        isField: isAddress,
        visit: (field, text, { path }) => {
            const kind = marked.get(bare(field));
            if (kind) found.push({ ...kind, text, path });
        },
    });
    return found;
}

const known = new WeakMap<Schema, readonly string[]>();

/** The paths of all fields of a schema that take an address. */
export function addressFieldsOf(schema: Schema): readonly string[] {
    const fields = known.get(schema) ?? fieldsWhere(schema, isAddress);
    known.set(schema, fields);
    return fields;
}

function isAddress(field: Schema): boolean {
    return marked.has(bare(field));
}
