import type { StepLog } from '../../../core/adapter/context';
import { LOG_EVENT, type EventLog } from '../../../core/adapter/log-event';
import type { JsonObject } from '../../../core/value/json';
import type { JobContext } from './messages';

/** What is said comes out in its order, and is waited for now and then. */
export class LogLines {
    private sending: Promise<void> = Promise.resolve();
    readonly log: EventLog;

    constructor(private readonly send: JobContext['send']) {
        const line =
            (level: string): StepLog['info'] =>
            (message, facts) =>
                this.write({ log: level, message, facts: facts ?? null });
        this.log = {
            ...{ debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
            [LOG_EVENT]: (level, { event, message, facts }) => this.write({ log: level, event, message, facts }),
        };
    }

    write(item: JsonObject): void {
        this.sending = this.send(item);
    }

    sent(): Promise<void> {
        return this.sending;
    }
}
