{ SPDX-License-Identifier: Apache-2.0 }
{ Answers /ping with Free Pascal's own HTTP server, threaded. }
program fp_server;

{$mode objfpc}{$H+}

uses
  cthreads, BaseUnix, SysUtils, Classes, fphttpserver;

type
  TPingServer = class(TFPHttpServer)
  protected
    procedure HandleRequest(var ARequest: TFPHTTPConnectionRequest;
      var AResponse: TFPHTTPConnectionResponse); override;
  end;

procedure TPingServer.HandleRequest(var ARequest: TFPHTTPConnectionRequest;
  var AResponse: TFPHTTPConnectionResponse);
var
  Text: string;
begin
  AResponse.ContentType := 'text/plain';
  { It closes after each answer, and does not say so by itself: a client would send its next request in vain. }
  AResponse.Connection := 'close';
  Text := 'pong';
  if ARequest.PathInfo <> '/ping' then
  begin
    AResponse.Code := 404;
    Text := 'not here';
  end;
  { Content would have a line's end added to it. }
  AResponse.ContentStream := TStringStream.Create(Text);
  AResponse.FreeContentStream := True;
  AResponse.ContentLength := Length(Text);
end;

procedure EndNow(Signal: cint); cdecl;
begin
  FpExit(0);
end;

var
  Server: TPingServer;
begin
  FpSignal(SIGTERM, @EndNow);
  Server := TPingServer.Create(nil);
  Server.Address := '127.0.0.1';
  Server.Port := StrToInt(ParamStr(1));
  Server.Threaded := True;
  Server.QueueSize := 4096;
  Server.Active := True;
end.
