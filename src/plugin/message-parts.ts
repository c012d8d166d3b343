import type { Provider } from '@nestjs/common';
import { MessageConsumers } from './messages/message-consumers';
import { MessageIntake } from './messages/message-intake';
import { MessagePreviews } from './messages/message-previews';
import { MessageSources } from './messages/message-sources';

/** What takes the messages of brokers. */
export const messageProviders: Provider[] = [MessageSources, MessageIntake, MessageConsumers, MessagePreviews];
