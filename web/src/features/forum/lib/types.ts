import type { components } from '@/lib/api/schema';

type Schemas = components['schemas'];
export type Author = Schemas['Author'];
export type Category = Schemas['Category'];
export type Thread = Schemas['Thread'];
export type ThreadInFull = Schemas['ThreadInFull'];
export type Post = Schemas['Post'];
export type Found = Schemas['Found'];
export type QueuedPost = Schemas['QueuedPost'];
export type LogEntry = Schemas['LogEntry'];

/** Dialogs that a post's menu opens. */
export type PostDialog = 'delete' | 'flag' | 'history';
