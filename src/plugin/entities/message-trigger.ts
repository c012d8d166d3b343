import { Column, Entity } from 'typeorm';
import { epochMs, keyText, longText } from './columns';

/**
 * The status of an active MESSAGE trigger. The process that receives its messages writes it, so that the process that serves the API can
 * read it.
 */
@Entity('flow_message_trigger')
export class FlowMessageTrigger {
    /** Pipeline and step: `12/messages`. */
    @Column(keyText({ name: 'trigger_name', length: 128, primary: true }))
    name: string;

    /** Why no messages arrive; null while they do. */
    @Column(longText({ name: 'problem', nullable: true }))
    problem: string | null;

    /** The number of messages with which no run could be started. */
    @Column({ type: 'int', name: 'refused', default: 0 })
    refused: number;

    /** When the last one was rejected, by the database's clock. */
    @Column(epochMs({ name: 'refused_at', nullable: true }))
    refusedAt: number | null;
}
