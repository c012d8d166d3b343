import type { Provider } from '@nestjs/common';
import { MessageConsumers } from './messages/message-consumers';
import { MessageReceiver } from './messages/message-receiver';
import { MessagePreviews } from './messages/message-previews';
import { MessageSources } from './messages/message-sources';

/** The providers that receive the messages of brokers. */
export const messageProviders: Provider[] = [MessageSources, MessageReceiver, MessageConsumers, MessagePreviews];
