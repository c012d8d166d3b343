import type { YieldingTask } from '../../concurrency/yielding-task';
import { clause, type FactText } from '../../errors/rendered';
import { whileChecking } from './pattern-check';
import { regexProblem } from './regex';

/** Checks the patterns of one definition one by one: each check takes up to a good part of an event-loop turn. */
export class Patterns {
    private readonly problems = new Map<string, FactText | undefined>();
    private looked = 0;

    /** At most `most` different patterns are checked; the others are reported as too many. */
    constructor(readonly most = Infinity) {}

    /** The number of patterns beyond `most`. */
    get beyond(): number {
        return Math.max(this.looked - this.most, 0);
    }

    /** Reads a value with a schema that needs the checks of its patterns, and reads it again once they are done. */
    *read<T>(parse: () => T): YieldingTask<T> {
        for (;;) {
            const open = new Set<string>();
            const answer = whileChecking(pattern => {
                if (this.problems.has(pattern)) return this.problems.get(pattern);
                open.add(pattern);
                return clause`has not been checked`;
            }, parse);
            if (open.size === 0) return answer;
            for (const pattern of open) {
                yield;
                this.problems.set(pattern, this.judged(pattern));
            }
            yield;
        }
    }

    private judged(pattern: string): FactText | undefined {
        this.looked++;
        return this.looked > this.most
            ? clause`is not among the first ${this.most}, and only those are checked`
            : regexProblem(pattern);
    }
}
