import type { ConfigService, ID } from '@vendure/core';

/** Ids as the shop's `EntityIdStrategy` shows them to the outside: in GraphQL by Vendure, in REST routes, webhook answers and definitions by this. */
export class PublicIds {
    constructor(private readonly config: ConfigService) {}

    encode(id: ID): string {
        const { strategy } = this;
        return String(strategy ? strategy.encodeId(id as never) : id);
    }

    /** Undefined for a text that is not the public form of an id. */
    decode(text: string): ID | undefined {
        const { strategy } = this;
        try {
            const id = strategy ? strategy.decodeId(text) : text;
            // Strategies read more than they write: "T_07x" as 7, and what they cannot read as -1.
            return this.encode(id) === text ? id : undefined;
        } catch {
            // A strategy may throw for an id that it has not generated: no row has such an id.
            return undefined;
        }
    }

    private get strategy() {
        return this.config.entityOptions.entityIdStrategy ?? this.config.entityIdStrategy;
    }
}
