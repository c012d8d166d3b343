import { useState } from 'react';
import { faultsOf } from '../../form/faults';
import type { JsonSchema } from '../../form/json-schema';
import type { ResultOf } from '../../gql/graphql';
import type { connectionDocument, connectionTypesDocument } from './connection.graphql';

/** A connection as its page shows it. */
export type Connection = NonNullable<ResultOf<typeof connectionDocument>['flowConnection']>;
/** A type of connections. */
export type ConnectionType = ResultOf<typeof connectionTypesDocument>['flowAdapters'][number];

/** A connection that is being filled in. */
export interface ConnectionDraft {
    readonly code: string;
    readonly name: string;
    readonly type: string;
    readonly known: ConnectionType | undefined;
    readonly schema: JsonSchema;
    /** Its settings, as far as they are filled in. */
    readonly settings: unknown;
    /** Whether it could be saved. */
    readonly isSound: boolean;
    setCode(code: string): void;
    setName(name: string): void;
    setType(type: string): void;
    setSettings(settings: unknown): void;
}

const ANY: JsonSchema = { type: 'object', properties: {} };

/** A connection that is being filled in: one that is there, or a new one of the requested type. Default: the first of these types. */
export function useConnectionDraft(
    connection: Connection | undefined,
    types: readonly ConnectionType[],
    requested?: string,
): ConnectionDraft {
    const [code, setCode] = useState(connection?.code ?? '');
    const [name, setName] = useState(connection?.name ?? '');
    const first = types.find(one => one.code === requested) ?? types[0];
    const [type, setType] = useState(connection?.type ?? first?.code ?? '');
    // Of each type apart: looking at another type loses nothing.
    const [ofTypes, setOfTypes] = useState<Readonly<Record<string, unknown>>>({ [type]: connection?.settings ?? {} });
    const known = types.find(one => one.code === type);
    const schema = (known?.schema ?? ANY) as JsonSchema;
    const settings = ofTypes[type] ?? {};
    return {
        code,
        name,
        type,
        known,
        schema,
        settings,
        isSound: code.trim() !== '' && faultsOf(schema, settings).length === 0,
        setCode,
        setName,
        setType,
        setSettings: changed => setOfTypes({ ...ofTypes, [type]: changed }),
    };
}
