import { type BrowserStorage, dropStored, readStored, writeStored } from '../../../parts/browser-storage';
import { type Definition, isObject } from '../model/definition';
import type { Places } from './drawing';

/** What a browser keeps of changes that were not saved: with it nothing is lost when a tab is closed. */
export interface RecoveryCopy {
    /** The version that the changes began from. */
    readonly version: number;
    readonly base: Definition;
    readonly definition: Definition;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/** The recovery copy and the places of boxes of one pipeline, in a browser's storage; a full or closed one keeps nothing. */
export function keeper(storage: BrowserStorage, pipelineId: string) {
    const names = { copy: `flow-editor-copy-${pipelineId}`, places: `flow-editor-places-${pipelineId}` };
    return {
        copy(): RecoveryCopy | undefined {
            const value = readStored(storage, names.copy);
            if (!isObject(value)) return undefined;
            const { version, base, definition, at } = value;
            return typeof version === 'number' && typeof at === 'number' && isObject(base) && isObject(definition)
                ? { version, base, definition, at }
                : undefined;
        },
        /** Whether it was kept. */
        keepCopy: (copy: RecoveryCopy): boolean => writeStored(storage, names.copy, copy),
        dropCopy: (): void => dropStored(storage, names.copy),
        places(): Places {
            const value = readStored(storage, names.places);
            if (!isObject(value)) return {};
            const sound = Object.entries(value).filter(
                ([, place]) => isObject(place) && Number.isFinite(place['x']) && Number.isFinite(place['y']),
            );
            return Object.fromEntries(sound) as Places;
        },
        keepPlaces(places: Places): void {
            if (Object.keys(places).length === 0) dropStored(storage, names.places);
            else writeStored(storage, names.places, places);
        },
    };
}
