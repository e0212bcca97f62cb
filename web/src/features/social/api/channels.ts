import { queryOptions } from '@tanstack/react-query';
import { api, body, done } from '@/lib/api/client';
import { command } from '@/lib/api/command';
import type { components } from '@/lib/api/schema';
import { NETWORKS } from '../lib/networks';

type Schemas = components['schemas'];

/** Links that a page lists. */
const MAX_LISTED = 24;

/** The social channels of a website, with figures of the last 30 days. */
export const channelsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['social-channels', websiteId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/social-channels', { params: { query: { websiteId, timeRange: '30d' } }, signal })),
  });

/** The links that a link-in-bio page of the channel begins with, newest first. */
export const channelLinksQuery = (websiteId: string, channelId: string) =>
  queryOptions({
    queryKey: ['links', 'of-channel', websiteId, channelId] as const,
    queryFn: ({ signal }) =>
      body(api.GET('/api/platform/links', { params: { query: { websiteId, channelId, limit: MAX_LISTED } }, signal })),
  });

const of = (id: string) => ({ params: { path: { id } } });

/** The channels, their report and every list of links. */
const changes = [['social-channels'], ['social-report'], ['links']];

export const addChannel = command({
  send: (channel: Schemas['AddSocialChannel']) => body(api.POST('/api/platform/social-channels', { body: channel })),
  changes,
  success: ({ name, network }) => ['Channel added', `${name} on ${NETWORKS[network].label}`],
});

export const renameChannel = (id: string) =>
  command({
    send: (names: Schemas['RenameSocialChannel']) =>
      body(api.PATCH('/api/platform/social-channels/{id}', { ...of(id), body: names })),
    changes,
    success: 'Channel saved',
  });

export const removeChannel = command({
  send: (id: string) => done(api.DELETE('/api/platform/social-channels/{id}', of(id))),
  changes,
  success: 'Channel removed',
  failure: 'Failed to remove the channel',
});

export const createChannelLink = (id: string) =>
  command({
    send: (link: Schemas['CreateSocialLink']) =>
      body(api.POST('/api/platform/social-channels/{id}/links', { ...of(id), body: link })),
    changes,
  });
