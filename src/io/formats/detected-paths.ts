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
}

/** The paths of the elements of a document, for a message about a missing path. */
export class FoundPaths {
    private readonly keysetPositions: Place[] = [];
    private readonly open: (Place | undefined)[] = [{ path: '', inner: new Map(), count: 1, parents: 0 }];

    opens(name: string): void {
        const outer = this.open.at(-1);
        if (outer) outer.parents++;
        this.open.push(outer && this.placeIn(outer, name));
    }

    closes(): void {
        this.open.pop();
    }

    /**
     * Paths of possible records, the most frequent ones first: elements that contain others. All paths if there are
     * none.
     */
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
            };
            outer.inner.set(name, place);
            this.keysetPositions.push(place);
        }
        place.count++;
        return place;
    }
}
