"""Run dialogues: parse scripts, split output into messages, and decide what is sent next."""
