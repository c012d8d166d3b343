import { Column, Entity } from 'typeorm';
import { epochMs, keyText, longText } from './columns';

/** How a MESSAGE trigger in force gets on: whichever process takes its messages writes it down, for those that people ask. */
@Entity('flow_message_trigger')
export class FlowMessageTrigger {
    /** Pipeline and step: `12/messages`. */
    @Column(keyText({ name: 'trigger_name', length: 128, primary: true }))
    name: string;

    /** Why no messages come in; null while they do. */
    @Column(longText({ name: 'problem', nullable: true }))
    problem: string | null;

    /** How many messages no run could be started with. */
    @Column({ type: 'int', name: 'refused', default: 0 })
    refused: number;

    /** When the last one was refused, by the database's clock. */
    @Column(epochMs({ name: 'refused_at', nullable: true }))
    refusedAt: number | null;
}
