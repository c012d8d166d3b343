import type { Work } from '../../work/work';
import { whileAsking } from './judged';
import { regexProblem } from './regex';

/** The patterns of one definition, each of which is judged by itself: that takes up to a good part of a turn of the event loop. */
export class Patterns {
    private readonly problems = new Map<string, string | undefined>();
    private looked = 0;

    /** `most`: so many different ones are looked at, the others are told to be too many. */
    constructor(readonly most = Infinity) {}

    /** How many there are beyond `most`. */
    get beyond(): number {
        return Math.max(this.looked - this.most, 0);
    }

    /** Reads a value by a schema that asks for its patterns, and once more when these have been judged. */
    *read<T>(parse: () => T): Work<T> {
        for (;;) {
            const open = new Set<string>();
            const answer = whileAsking(pattern => {
                if (this.problems.has(pattern)) return this.problems.get(pattern);
                open.add(pattern);
                return 'has not been looked at';
            }, parse);
            if (open.size === 0) return answer;
            for (const pattern of open) {
                yield;
                this.problems.set(pattern, this.judged(pattern));
            }
            yield;
        }
    }

    private judged(pattern: string): string | undefined {
        this.looked++;
        return this.looked > this.most ? `comes behind the ${this.most} that are looked at` : regexProblem(pattern);
    }
}
