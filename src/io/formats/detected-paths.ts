/** A message names at most this number of paths. */
const SHOWN = 10;
/** At most this number of different paths is examined; a document of nested documents may have any number of them. */
const KEPT = 1_000;

/** An element of a document as its path has it; elements of one path are one. */
interface Place {
    readonly path: string;
    readonly inner: Map<string, Place>;
    /** How many elements of it there are, and how many had others in them. */
    count: number;
    parents: number;
    /** How many had attributes. */
    attributed: number;
}

/** A path at which a document has records. */
export interface RecordPath {
    readonly path: string;
    readonly count: number;
}

/** The paths of the elements of a document, for those who look for one that is not there. */
export class FoundPaths {
    private readonly keysetPositions: Place[] = [];
    private readonly open: (Place | undefined)[] = [
        { path: '', inner: new Map(), count: 1, parents: 0, attributed: 0 },
    ];

    opens(name: string, hasAttributes = false): void {
        const outer = this.open.at(-1);
        if (outer) outer.parents++;
        const place = outer && this.placeIn(outer, name);
        if (place && hasAttributes) place.attributed++;
        this.open.push(place);
    }

    closes(): void {
        this.open.pop();
    }

    /**
     * Paths of elements that have fields and are repeated, the most frequent first. Elements within such an element are parts of it and are left out.
     */
    get recordPaths(): readonly RecordPath[] {
        const repeated = this.keysetPositions.filter(
            ({ count, parents, attributed }) => count > 1 && parents + attributed > 0,
        );
        const isWithin = ({ path }: Place): boolean => repeated.some(other => path.startsWith(`${other.path}.`));
        return repeated
            .filter(place => !isWithin(place))
            .map(({ path, count }) => ({ path, count }))
            .sort((a, b) => b.count - a.count);
    }

    /** Those that may be records, the ones that come most often first: elements that hold others. All where none does. */
    toString(): string {
        const parents = this.keysetPositions.filter(place => place.parents > 0);
        const shown = (parents.length > 0 ? parents : this.keysetPositions).sort((a, b) => b.count - a.count);
        const more = shown.length > SHOWN ? ` and ${shown.length - SHOWN} more` : '';
        return (
            shown
                .slice(0, SHOWN)
                .map(({ path, count }) => `"${path}"${count > 1 ? ` (${count} times)` : ''}`)
                .join(', ') + more
        );
    }

    private placeIn(outer: Place, name: string): Place | undefined {
        let place = outer.inner.get(name);
        if (!place) {
            if (this.keysetPositions.length === KEPT) return undefined;
            // A dot that belongs to a name is written "\\.", as in every path of Flow.
            const step = name.replaceAll('.', '\\.');
            place = {
                path: outer.path === '' ? step : `${outer.path}.${step}`,
                inner: new Map(),
                count: 0,
                parents: 0,
                attributed: 0,
            };
            outer.inner.set(name, place);
            this.keysetPositions.push(place);
        }
        place.count++;
        return place;
    }
}
