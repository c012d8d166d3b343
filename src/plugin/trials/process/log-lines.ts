import type { StepLog } from '../../../core/adapter/context';
import type { JsonObject } from '../../../core/value/json';
import type { JobWork } from './messages';

/** What is said comes out in its order, and is waited for now and then. */
export class LogLines {
    private sending: Promise<void> = Promise.resolve();
    readonly log: StepLog;

    constructor(private readonly tell: JobWork['tell']) {
        const line =
            (level: string): StepLog['info'] =>
            (message, facts) =>
                this.say({ log: level, message, facts: facts ?? null });
        this.log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    }

    say(item: JsonObject): void {
        this.sending = this.tell(item);
    }

    sent(): Promise<void> {
        return this.sending;
    }
}
