import type { JsonObject } from '../value/json';
import type { PipelineSource } from './definition';
import type { AdapterDefinition } from '../adapter/definition';

/** A connection from the shop's code. */
export interface ConnectionSource {
    readonly code: string;
    /** The code of a connection type: HTTP, SFTP … */
    readonly type: string;
    /** The display name. Default: the code. */
    readonly name?: string;
    /** Matches the schema of its type. Contains codes of secrets, never a secret. */
    readonly settings: JsonObject;
    /** Token of the channel that it belongs to. Default: the default channel. */
    readonly channel?: string;
}

/** All that Flow needs for one external system: its adapters, its connections and the pipelines that go with them. */
export interface Connector {
    readonly kind: 'connector';
    /** Names the connector in messages; unique among the connectors of a shop. */
    readonly code: string;
    readonly title: string;
    readonly adapters: readonly AdapterDefinition[];
    /** Defined in code, like those of the plugin option with this name. */
    readonly connections: readonly ConnectionSource[];
    /** Defined in code, like those of the plugin option with this name. */
    readonly pipelines: readonly PipelineSource[];
}

type Parts = 'adapters' | 'connections' | 'pipelines';

/** Makes a connector for the plugin option `connectors`; a list that is left out is empty. It is checked when the shop starts. */
export function defineConnector(
    definition: Omit<Connector, 'kind' | Parts> & Partial<Pick<Connector, Parts>>,
): Connector {
    return { adapters: [], connections: [], pipelines: [], ...definition, kind: 'connector' };
}
