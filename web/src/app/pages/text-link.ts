export const textLink =
  'inline-block min-h-6 max-w-full rounded-md font-medium text-brand underline-offset-4 hover:underline';
