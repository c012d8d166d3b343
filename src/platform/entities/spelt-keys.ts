import { show } from '../../core/value/show';
import { foldName } from './name-index';

/** A key as a record of the run has given it, and the name of its entity. */
interface SpeltKey {
    readonly given: string;
    readonly name: string;
}

/** The maximum number of remembered keys of a run. */
const MOST_SPELT = 50_000;

/**
 * The keys of a run that its records gave in another spelling ("mehl-1,5-kg") than they are stored in ("mehl-15-kg"): a later record that gives the
 * stored one, with another name, means another entity.
 */
export class SpeltKeys {
    private readonly byStored = new Map<string, SpeltKey>();
    /** Those of the batch that is planned now: its records are compared with each other elsewhere. */
    private planned: Array<readonly [stored: string, key: SpeltKey]> = [];

    add(stored: string, { given, name }: { readonly given: string; readonly name: string | undefined }): void {
        if (given === stored) return;
        this.planned.push([stored, { given, name: name ?? given }]);
    }

    /** The batch is planned. */
    endBatch(): void {
        for (const [stored, key] of this.planned) this.byStored.set(stored, key);
        this.planned = [];
        for (const stored of this.byStored.keys()) {
            if (this.byStored.size <= MOST_SPELT) break;
            this.byStored.delete(stored);
        }
    }

    /** Why a record does not mean the entity that has its key: the end of a sentence; undefined where nothing speaks against it. */
    conflict(
        key: string,
        { name, called }: { readonly name: string | undefined; readonly called: string },
    ): string | undefined {
        const spelt = this.byStored.get(key);
        if (!spelt || foldName(spelt.name) === foldName(name ?? key)) return undefined;
        return `an earlier record of this run gives ${show(spelt.given)} to ${called} ${show(spelt.name)}, which becomes the same`;
    }
}
